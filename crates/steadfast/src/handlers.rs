//! All handlers of a worker, found by kind.

use crate::codec;
use crate::error::{Error, Result};
use crate::handler::{Handler, Pattern};
use crate::shared_limits;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use steadfast_core::{Bucket, Kind, KindRange, Limit, Offered, Policy, Refusal};

/// Finds a handler by kind, by the rule of [`Kind::find_in`].
#[derive(Debug, Default)]
pub(crate) struct Handlers {
    by_kind: BTreeMap<String, Arc<Handler>>,
    by_prefix: BTreeMap<String, Arc<Handler>>,
}

impl Handlers {
    pub(crate) fn new(handlers: Vec<Handler>) -> Result<Self> {
        let mut all = Self::default();
        let mut twice = BTreeSet::new();
        for handler in handlers {
            let text = handler.pattern.text();
            if !all.add(handler)? {
                twice.insert(format!("`{text}`"));
            }
        }
        if !twice.is_empty() {
            return Err(Error::TwoHandlers(twice.into_iter().collect::<Vec<_>>().join(", ")));
        }
        shared_limits::check(all.all())?;
        Ok(all)
    }

    /// False if there was one of that name.
    fn add(&mut self, handler: Handler) -> Result<bool> {
        let text = handler.pattern.text();
        Kind::new(&text)?;
        let refuse = |why: String| Refusal::Config(format!("kind `{text}`: {why}"));
        handler.policy.check().map_err(|refusal| refuse(refusal.to_string()))?;
        handler.upcasters.check().map_err(|refusal| refuse(refusal.to_string()))?;
        Limit::check(&handler.limits).map_err(|refusal| refuse(refusal.to_string()))?;
        let algorithm = handler.policy.compression.algorithm;
        if !codec::has(algorithm) {
            let why = format!("compression is {algorithm}; build with the feature `compression`");
            return Err(refuse(why).into());
        }
        let (map, name) = match &handler.pattern {
            Pattern::Kind(kind) => (&mut self.by_kind, kind.clone()),
            Pattern::Prefix(prefix) => (&mut self.by_prefix, prefix.clone()),
        };
        Ok(map.insert(name, Arc::new(handler)).is_none())
    }

    pub(crate) fn find(&self, kind: &Kind) -> Option<&Arc<Handler>> {
        let prefixes = self.by_prefix.iter().map(|(prefix, handler)| (prefix.as_str(), handler));
        kind.find_in(|name| self.by_kind.get(name), prefixes)
    }

    /// The same for somebody who needs it, with the list of those there are.
    pub(crate) fn require(&self, kind: &Kind) -> Result<&Arc<Handler>> {
        self.find(kind).ok_or_else(|| self.unknown(kind.as_str()))
    }

    /// The error for a kind that is not among these.
    pub(crate) fn unknown(&self, kind: &str) -> Error {
        let known: Vec<String> = self.all().map(|handler| handler.pattern.text()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Error::NoHandler { kind: kind.to_owned(), known }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_kind.is_empty() && self.by_prefix.is_empty()
    }

    /// What stands in the `kind` table.
    pub(crate) fn policies(&self) -> Result<Vec<(Kind, Policy)>> {
        self.all()
            .map(|handler| Ok((Kind::new(handler.pattern.text())?, Policy::clone(&handler.policy))))
            .collect()
    }

    /// What others see of these handlers.
    pub(crate) fn offered(&self) -> Vec<Offered> {
        let offered = |handler: &Arc<Handler>| Offered {
            kind: handler.pattern.text(),
            limits: handler.limits.clone(),
            booked: handler.book.is_some(),
        };
        self.all().map(offered).collect()
    }

    /// The kinds that these handlers are for.
    pub(crate) fn ranges(&self) -> Arc<[KindRange]> {
        let of = |handler: &Arc<Handler>| match &handler.pattern {
            Pattern::Kind(kind) => KindRange::of_kind(kind).into(),
            Pattern::Prefix(prefix) => vec![KindRange::of_prefix(prefix)],
        };
        KindRange::joined(self.all().flat_map(of).collect()).into()
    }

    /// Where tasks of these kinds are added.
    pub(crate) fn buckets(&self) -> BTreeSet<Bucket> {
        self.all().map(|handler| handler.policy.bucket.clone()).collect()
    }

    fn all(&self) -> impl Iterator<Item = &Arc<Handler>> {
        self.by_kind.values().chain(self.by_prefix.values())
    }
}
