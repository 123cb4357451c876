//! Kinds and buckets: which handler, which shard.

use crate::error::Refusal;
use crate::limit::{BUCKET_BYTES_MAX, KIND_BYTES_MAX};
use crate::text;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// What a task is: the name by which its handler is found.
///
/// A kind may carry a suffix after a bar (`PAY|PARTNER`): the handler is found by the part before it and its limit is
/// shared by all suffixes; the order of claims, and a cluster limit named `*`, look at the whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Kind(Arc<str>);

impl Kind {
    /// Checks a kind: not empty, at most 200 bytes, no control characters.
    ///
    /// ```
    /// use steadfast_core::Kind;
    /// assert!(Kind::new("mail.welcome").is_ok());
    /// assert_eq!(Kind::new("").unwrap_err().to_string(), "kind is empty; give it at least one character");
    /// ```
    pub fn new(name: impl AsRef<str>) -> Result<Self, Refusal> {
        text::check("kind", name.as_ref(), KIND_BYTES_MAX)?;
        Ok(Self(name.as_ref().into()))
    }

    /// The same for bytes that may not be UTF-8.
    pub fn from_bytes(name: &[u8]) -> Result<Self, Refusal> {
        Self::new(text::from_bytes("kind", name)?)
    }

    /// The whole name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part that names the handler: what stands before the bar.
    pub fn base(&self) -> &str {
        self.0.split_once('|').map_or(&self.0, |(base, _)| base)
    }

    /// What was written for this kind: under its whole name first, then under the part before the bar, then under the
    /// longest prefix. Few programs have many prefixes, so walking all of them is cheaper than an index.
    pub fn find_in<'a, T>(
        &self,
        named: impl Fn(&str) -> Option<T>,
        prefixes: impl IntoIterator<Item = (&'a str, T)>,
    ) -> Option<T> {
        named(self.as_str()).or_else(|| named(self.base())).or_else(|| {
            let fits = prefixes.into_iter().filter(|(prefix, _)| self.as_str().starts_with(prefix));
            fits.max_by_key(|(prefix, _)| prefix.len()).map(|(_, found)| found)
        })
    }
}

/// Kinds from one name up to, and without, another: how stores are told which kinds are a worker's own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KindRange {
    /// The first name in it.
    pub from: String,
    /// The first name after it.
    pub to: String,
}

impl KindRange {
    /// A kind by its whole name, and with any suffix.
    pub fn of_kind(kind: &str) -> [Self; 2] {
        let next = |end: char| format!("{kind}{end}");
        [Self { from: kind.to_owned(), to: next('\0') }, Self { from: next('|'), to: next('}') }]
    }

    /// All kinds that start with this.
    pub fn of_prefix(prefix: &str) -> Self {
        Self { from: prefix.to_owned(), to: format!("{prefix}{}", char::MAX) }
    }

    /// Puts ranges in order and joins those that overlap.
    pub fn joined(mut ranges: Vec<Self>) -> Vec<Self> {
        ranges.sort();
        let mut joined: Vec<Self> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.from <= last.to => last.to = range.to.max(std::mem::take(&mut last.to)),
                _ => joined.push(range),
            }
        }
        joined
    }

    /// The first name at or after `name` that lies in one of the ranges, which are in order; none after the last.
    pub fn next_in<'a>(ranges: &'a [Self], name: &'a str) -> Option<&'a str> {
        let at = ranges.partition_point(|range| range.to.as_str() <= name);
        ranges.get(at).map(|range| range.from.as_str().max(name))
    }
}

/// A shard of the tasks with a table and slots of its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Bucket(Arc<str>);

impl Bucket {
    /// Checks a bucket's name: not empty, at most 100 bytes, no control characters.
    pub fn new(name: impl AsRef<str>) -> Result<Self, Refusal> {
        text::check("bucket", name.as_ref(), BUCKET_BYTES_MAX)?;
        Ok(Self(name.as_ref().into()))
    }

    /// Its name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Bucket {
    fn default() -> Self {
        Self("default".into())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl fmt::Display for Bucket {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl TryFrom<String> for Kind {
    type Error = Refusal;

    fn try_from(name: String) -> Result<Self, Refusal> {
        Self::new(name)
    }
}

impl From<Kind> for String {
    fn from(kind: Kind) -> Self {
        kind.0.as_ref().into()
    }
}

impl TryFrom<String> for Bucket {
    type Error = Refusal;

    fn try_from(name: String) -> Result<Self, Refusal> {
        Self::new(name)
    }
}

impl From<Bucket> for String {
    fn from(bucket: Bucket) -> Self {
        bucket.0.as_ref().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(name: &str) -> Option<String> {
        let mut ranges: Vec<_> = KindRange::of_kind("pay").into();
        ranges.push(KindRange::of_prefix("mail."));
        ranges.push(KindRange::of_prefix("mail.bulk."));
        KindRange::next_in(&KindRange::joined(ranges), name).map(str::to_owned)
    }

    #[test]
    fn a_range_holds_a_kind_its_suffixes_and_no_neighbour() {
        for (name, expected) in [
            ("", Some("mail.")),
            ("mail.bulk.may", Some("mail.bulk.may")),
            ("mail.x", Some("mail.x")),
            ("mail/x", Some("pay")),
            ("pay", Some("pay")),
            ("pay-out", Some("pay|")),
            ("pay|PARTNER", Some("pay|PARTNER")),
            ("payer", Some("pay|")),
            ("pay}", None),
        ] {
            assert_eq!(next(name).as_deref(), expected, "after `{name}`");
        }
    }
}
