//! The one macro of Steadfast: an attribute that registers a handler where it is written. What it expands to is plain
//! code that anybody could write; it decides nothing.

mod expand;
mod function;
mod options;
mod span;

use proc_macro::TokenStream;

/// Registers an async function as the handler of a kind. See `steadfast::task`, by which it is used.
#[proc_macro_attribute]
pub fn task(options: TokenStream, function: TokenStream) -> TokenStream {
    match expand::expand(options.into(), function.clone().into()) {
        Ok(expanded) => expanded.into(),
        // The function stays, so that the only complaint is the one about the attribute.
        Err(error) => [error.into_compile_error().into(), function].into_iter().collect(),
    }
}
