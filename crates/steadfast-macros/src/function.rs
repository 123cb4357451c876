//! The function below the attribute: what a handler must look like.

use syn::{FnArg, ItemFn, Type};

const SHAPE: &str =
    "a handler takes its run and, if it has one, its payload: `async fn welcome(run: Run, mail: Welcome)`";

/// The payload's type, if the function takes one.
pub(crate) fn payload(function: &ItemFn) -> syn::Result<Option<&Type>> {
    let signature = &function.sig;
    if signature.asyncness.is_none() {
        return Err(syn::Error::new_spanned(
            signature.fn_token,
            "a handler is an async function: write `async fn`",
        ));
    }
    if !signature.generics.params.is_empty() {
        let text = "a handler has no generics: it is found by its kind's name";
        return Err(syn::Error::new_spanned(&signature.generics, text));
    }
    let types: Vec<&Type> = signature.inputs.iter().map(type_of).collect::<syn::Result<_>>()?;
    match types.as_slice() {
        [_run] => Ok(None),
        [_run, payload] => Ok(Some(payload)),
        _ => Err(syn::Error::new_spanned(&signature.ident, SHAPE)),
    }
}

fn type_of(argument: &FnArg) -> syn::Result<&Type> {
    match argument {
        FnArg::Typed(argument) => Ok(&argument.ty),
        FnArg::Receiver(receiver) => {
            Err(syn::Error::new_spanned(receiver, "a handler is a function of its own, without `self`"))
        }
    }
}
