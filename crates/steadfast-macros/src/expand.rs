//! From the attribute and its function to the code that registers it.

use crate::function;
use crate::options::{Options, Retry};
use proc_macro2::TokenStream;
use quote::quote;
use std::time::Duration;
use syn::ItemFn;
use syn::parse::Parser;

pub(crate) fn expand(options: TokenStream, function: TokenStream) -> syn::Result<TokenStream> {
    let mut read = Options::default();
    syn::meta::parser(|meta| read.take(&meta)).parse2(options)?;
    let function: ItemFn = syn::parse2(function)?;
    let handler = handler(&read, &function)?;
    let rules = rules(&read);
    let limit = read.limit.map(|limit| quote!(let handler = handler.limit(#limit);));
    Ok(quote! {
        #function

        const _: () = {
            fn handler() -> ::steadfast::Result<::steadfast::Handler> {
                let handler = #handler;
                #limit
                #[allow(unused_mut)]
                let mut policy = ::steadfast::Policy::default();
                #rules
                ::std::result::Result::Ok(handler.policy(policy))
            }
            ::steadfast::registry::inventory::submit! { ::steadfast::registry::Registered { handler } }
        };
    })
}

fn handler(options: &Options, function: &ItemFn) -> syn::Result<TokenStream> {
    let name = &function.sig.ident;
    match (function::payload(function)?, &options.kind) {
        (Some(_), Some(kind)) => Ok(quote!(::steadfast::Handler::json(#kind, #name))),
        (Some(payload), None) => {
            Ok(quote!(::steadfast::Handler::json(<#payload as ::steadfast::Kinded>::KIND, #name)))
        }
        (None, Some(kind)) => Ok(quote!(::steadfast::Handler::of(#kind, #name))),
        (None, None) => {
            let text =
                "which kind is it for? give its payload a type that names it, or write `kind = \"...\"`";
            Err(syn::Error::new_spanned(name, text))
        }
    }
}

/// The changes to the default policy; the function of the way out comes last.
fn rules(options: &Options) -> TokenStream {
    let retry = options.retry.as_ref().map(|retry| {
        let retry = match retry {
            Retry::Times(times) => quote!(::steadfast::Retry::default().times_max(#times)),
            Retry::List(delays) => {
                let delays = delays.iter().map(|delay| duration(*delay));
                quote!(::steadfast::Retry::list([#(#delays),*]))
            }
        };
        quote!(policy.retry = #retry;)
    });
    let deadline = options.deadline.map(|deadline| {
        let deadline = duration(deadline);
        quote!(policy.deadline = #deadline;)
    });
    let bucket =
        options.bucket.as_ref().map(|name| quote!(policy.bucket = ::steadfast::Bucket::new(#name)?;));
    let priority = options.priority.map(|n| quote!(policy.priority = ::steadfast::Priority::new(#n)?;));
    let at_most_once = options.at_most_once.map(|()| quote!(policy.at_most_once = true;));
    let change = options.policy.as_ref().map(|change| {
        quote!({
            let change: fn(&mut ::steadfast::Policy) = #change;
            change(&mut policy);
        })
    });
    quote!(#retry #deadline #bucket #priority #at_most_once #change)
}

fn duration(duration: Duration) -> TokenStream {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    quote!(::std::time::Duration::from_millis(#millis))
}

#[cfg(test)]
// A test that cannot go on says so by a panic.
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const GOOD: &str = "async fn welcome(run: Run, mail: Welcome) {}";

    fn expanded(options: &str, function: &str) -> syn::Result<String> {
        expand(options.parse().unwrap(), function.parse().unwrap())
            .map(|tokens| tokens.to_string().replace(' ', ""))
    }

    fn check_refused(options: &str, function: &str, expected: &str) {
        let error = expanded(options, function).unwrap_err().to_string();
        assert_eq!(error, expected, "#[task({options})] {function}");
    }

    #[test]
    fn each_option_changes_its_rule() {
        for (options, expected) in [
            ("", "Handler::json(<Welcomeas::steadfast::Kinded>::KIND,welcome)"),
            ("kind = \"mail\"", "Handler::json(\"mail\",welcome)"),
            ("retry = [\"1s\", \"5m\"]", "Retry::list([::std::time::Duration::from_millis(1000u64),"),
            ("retry = 3", "Retry::default().times_max(3u32)"),
            ("deadline = \"2h\"", "policy.deadline=::std::time::Duration::from_millis(7200000u64);"),
            ("bucket = \"slow\"", "policy.bucket=::steadfast::Bucket::new(\"slow\")?;"),
            ("priority = 0", "policy.priority=::steadfast::Priority::new(0i64)?;"),
            ("limit = 4", "handler.limit(4usize)"),
            ("at_most_once", "policy.at_most_once=true;"),
            ("policy = rules", "fn(&mut::steadfast::Policy)=rules;"),
        ] {
            let code = expanded(options, GOOD).unwrap();
            assert!(code.contains(expected), "{options}: {code}");
        }
        let code = expanded("kind = \"tick\"", "async fn tick(run: Run) {}").unwrap();
        assert!(code.contains("Handler::of(\"tick\",tick)"), "{code}");
    }

    #[test]
    fn a_wrong_option_is_refused_with_what_to_write() {
        let known = "kind, retry, deadline, bucket, priority, limit, at_most_once, policy";
        check_refused("kinds = \"a\"", GOOD, &format!("unknown option `kinds` (known: {known})"));
        check_refused("limit = 1, limit = 2", GOOD, "`limit` is given twice");
        check_refused("kind = \"\"", GOOD, "the name is empty; give it at least one character");
        check_refused("kind = \"a\\nb\"", GOOD, "the name holds a control character; remove it");
        check_refused("kind = mail", GOOD, "expected string literal");
        check_refused("priority = 10", GOOD, "priority 10 is out of range; use 0 (most urgent) to 9");
        check_refused("limit = 0", GOOD, "limit 0 is out of range; use 1 or more");
        check_refused("deadline = \"0s\"", GOOD, "the deadline is 0; no run could end in time");
        for wrong in ["10 sec", "s", "10", "-1s", "99999999999999999999d"] {
            let text = format!("`{wrong}` is no span of time; write it as 500ms, 10s, 5m, 1h or 2d");
            check_refused(&format!("deadline = \"{wrong}\""), GOOD, &text);
            check_refused(&format!("retry = [\"1s\", \"{wrong}\"]"), GOOD, &text);
        }
        let retry =
            "write `retry = 3` for so many more tries, or `retry = [\"1s\", \"5s\"]` for their delays";
        check_refused("retry = [1, 5]", GOOD, retry);
        check_refused("retry = \"often\"", GOOD, retry);
    }

    #[test]
    fn a_function_that_is_no_handler_is_refused_with_what_to_write() {
        let shape = "a handler takes its run and, if it has one, its payload: `async fn welcome(run: Run, mail: Welcome)`";
        check_refused(
            "",
            "fn welcome(run: Run, mail: Welcome) {}",
            "a handler is an async function: write `async fn`",
        );
        check_refused("", "async fn welcome() {}", shape);
        check_refused("", "async fn welcome(a: Run, b: A, c: B) {}", shape);
        check_refused(
            "",
            "async fn welcome<T>(a: Run, b: T) {}",
            "a handler has no generics: it is found by its kind's name",
        );
        check_refused(
            "",
            "async fn welcome(&self, b: A) {}",
            "a handler is a function of its own, without `self`",
        );
        let which = "which kind is it for? give its payload a type that names it, or write `kind = \"...\"`";
        check_refused("", "async fn tick(run: Run) {}", which);
        check_refused("", "struct Welcome;", "expected `fn`");
    }
}
