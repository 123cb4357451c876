//! What a worker takes on, as others see it.

use crate::kind::{Bucket, Kind};
use crate::worker_limit::Limit;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The kinds that a worker handles and the room it has for them. Others only read it, to say why a task waits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Offer {
    /// Runs at once in each bucket that has no slots of its own.
    pub slots: usize,
    /// Runs at once in buckets that have.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub buckets: BTreeMap<String, usize>,
    /// One for each handler.
    pub kinds: Vec<Offered>,
}

/// One handler of an [`Offer`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offered {
    /// The kind, with `*` at the end of a prefix.
    pub kind: String,
    /// What its runs stand under, widest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// Whether a book of its users has a word too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub booked: bool,
}

impl Offer {
    /// Runs at once in a bucket.
    pub fn slots_of(&self, bucket: &Bucket) -> usize {
        self.buckets.get(bucket.as_str()).copied().unwrap_or(self.slots)
    }

    /// The handler that would run a kind, by the rule of [`Kind::find_in`].
    pub fn find(&self, kind: &Kind) -> Option<&Offered> {
        let named = |name: &str| self.kinds.iter().find(|offered| offered.kind == name);
        let prefixes =
            self.kinds.iter().filter_map(|offered| Some((offered.kind.strip_suffix('*')?, offered)));
        kind.find_in(named, prefixes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_finds_its_handler_by_name_by_base_and_by_the_longest_prefix() {
        let kinds = ["pay", "pay|VIP", "mail.*", "mail.bulk.*"];
        let kinds = kinds.map(|kind| Offered { kind: kind.into(), limits: Vec::new(), booked: false }).into();
        let offer = Offer { slots: 1, kinds, ..Offer::default() };
        for (kind, expected) in [
            ("pay", Some("pay")),
            ("pay|VIP", Some("pay|VIP")),
            ("pay|OTHER", Some("pay")),
            ("payer", None),
            ("mail.hello", Some("mail.*")),
            ("mail.bulk.may", Some("mail.bulk.*")),
        ] {
            let found = offer.find(&Kind::new(kind).unwrap()).map(|offered| offered.kind.as_str());
            assert_eq!(found, expected, "{kind}");
        }
    }
}
