//! What stands in the attribute's brackets.

use crate::span;
use quote::ToTokens;
use std::time::Duration;
use syn::meta::ParseNestedMeta;
use syn::{Expr, ExprArray, Lit, LitInt, LitStr};

const KNOWN: &str = "kind, retry, deadline, bucket, priority, limit, at_most_once, policy";
/// As the stores keep them, in bytes.
const KIND_BYTES_MAX: usize = 200;
const BUCKET_BYTES_MAX: usize = 100;

/// All options; none leaves the default of the policy.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) kind: Option<LitStr>,
    pub(crate) retry: Option<Retry>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) bucket: Option<LitStr>,
    pub(crate) priority: Option<i64>,
    pub(crate) limit: Option<usize>,
    pub(crate) at_most_once: Option<()>,
    pub(crate) policy: Option<Expr>,
}

/// When a failure is tried again.
pub(crate) enum Retry {
    /// So often, by the delays of the default.
    Times(u32),
    /// After these delays.
    List(Vec<Duration>),
}

impl Options {
    /// Takes one of them in.
    pub(crate) fn take(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        match name.as_str() {
            "kind" => set(&mut self.kind, meta, named(meta, KIND_BYTES_MAX)?),
            "bucket" => set(&mut self.bucket, meta, named(meta, BUCKET_BYTES_MAX)?),
            "retry" => set(&mut self.retry, meta, retry(meta)?),
            "deadline" => set(&mut self.deadline, meta, deadline(meta)?),
            "priority" => set(&mut self.priority, meta, number(meta, 0..=9, "use 0 (most urgent) to 9")?),
            "limit" => set(&mut self.limit, meta, number(meta, 1..=1_000_000, "use 1 or more")?),
            "at_most_once" => set(&mut self.at_most_once, meta, ()),
            "policy" => set(&mut self.policy, meta, meta.value()?.parse()?),
            other => Err(meta.error(format!("unknown option `{other}` (known: {KNOWN})"))),
        }
    }
}

fn set<T>(option: &mut Option<T>, meta: &ParseNestedMeta<'_>, value: T) -> syn::Result<()> {
    match option.replace(value) {
        None => Ok(()),
        Some(_) => Err(meta.error(format!("`{}` is given twice", meta.path.to_token_stream()))),
    }
}

fn named(meta: &ParseNestedMeta<'_>, bytes_max: usize) -> syn::Result<LitStr> {
    let text: LitStr = meta.value()?.parse()?;
    let value = text.value();
    let fault = if value.is_empty() {
        "the name is empty; give it at least one character".to_owned()
    } else if value.len() > bytes_max {
        format!("the name has {} bytes, at most {bytes_max} are allowed; shorten it", value.len())
    } else if value.chars().any(char::is_control) {
        "the name holds a control character; remove it".to_owned()
    } else {
        return Ok(text);
    };
    Err(syn::Error::new(text.span(), fault))
}

fn retry(meta: &ParseNestedMeta<'_>) -> syn::Result<Retry> {
    let value: Expr = meta.value()?.parse()?;
    let wrong = || {
        let text = "write `retry = 3` for so many more tries, or `retry = [\"1s\", \"5s\"]` for their delays";
        syn::Error::new_spanned(&value, text)
    };
    match &value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(times) => times.base10_parse().map(Retry::Times),
            _ => Err(wrong()),
        },
        Expr::Array(delays) => delays_of(delays)
            .ok_or_else(wrong)?
            .iter()
            .map(span::read)
            .collect::<Result<_, _>>()
            .map(Retry::List),
        _ => Err(wrong()),
    }
}

fn delays_of(array: &ExprArray) -> Option<Vec<LitStr>> {
    let text = |delay: &Expr| match delay {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    };
    array.elems.iter().map(text).collect()
}

fn deadline(meta: &ParseNestedMeta<'_>) -> syn::Result<Duration> {
    let text: LitStr = meta.value()?.parse()?;
    let deadline = span::read(&text)?;
    if deadline.is_zero() {
        return Err(syn::Error::new(text.span(), "the deadline is 0; no run could end in time"));
    }
    Ok(deadline)
}

fn number<T>(meta: &ParseNestedMeta<'_>, range: std::ops::RangeInclusive<i64>, hint: &str) -> syn::Result<T>
where
    T: TryFrom<i64>,
{
    let literal: LitInt = meta.value()?.parse()?;
    let n = literal.base10_parse::<i64>()?;
    let fits = range.contains(&n).then_some(n).and_then(|n| T::try_from(n).ok());
    let name = meta.path.to_token_stream();
    fits.ok_or_else(|| syn::Error::new(literal.span(), format!("{name} {n} is out of range; {hint}")))
}
