//! Limits across all workers: a tree whose counters nobody keeps, since the store counts what is running.

use crate::error::Refusal;
use crate::kind::Kind;
use crate::limit::TEXT_BYTES_MAX;
use crate::text;
use serde::{Deserialize, Serialize};

/// Stands between the names of a path; no name can hold it.
const BETWEEN: char = '\u{1f}';
/// Stands for the whole kind, so that each suffix has a limit of its own.
const EACH_KIND: &str = "*";
/// Deepest tree.
const DEPTH_MAX: usize = 8;

/// A ceiling on runs at once, whatever worker they are in. Kinds that name the same limit share it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterLimit {
    /// Its name below the limit before it; `*` for one of each kind's own, suffix and all.
    pub name: String,
    /// Runs at once.
    pub max: u32,
}

/// Where a kind stands in the tree: its limits from the widest to the narrowest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClusterPath {
    limits: Vec<(String, u32)>,
}

impl ClusterLimit {
    /// Refuses limits that cannot work.
    pub(crate) fn check(limits: &[Self]) -> Result<(), Refusal> {
        if limits.len() > DEPTH_MAX {
            let n = limits.len();
            return Err(Refusal::Config(format!("{n} cluster limits, at most {DEPTH_MAX} are allowed")));
        }
        for limit in limits {
            text::check("cluster limit", &limit.name, TEXT_BYTES_MAX)?;
            if limit.max == 0 {
                let name = &limit.name;
                return Err(Refusal::Config(format!("cluster limit `{name}` is 0; nothing could run")));
            }
        }
        Ok(())
    }
}

impl ClusterPath {
    /// The path of a kind under these limits; none without limits.
    pub fn of(limits: &[ClusterLimit], kind: &Kind) -> Option<Self> {
        if limits.is_empty() {
            return None;
        }
        let mut path = String::new();
        let below = limits.iter().map(|limit| {
            path.push_str(if limit.name == EACH_KIND { kind.as_str() } else { &limit.name });
            path.push(BETWEEN);
            (path.clone(), limit.max)
        });
        Some(Self { limits: below.collect() })
    }

    /// All limits, widest first: each with its full name, and how many may run. A full name is the beginning of all
    /// full names below it.
    pub fn limits(&self) -> impl Iterator<Item = (&str, u32)> {
        self.limits.iter().map(|(path, max)| (path.as_str(), *max))
    }

    /// The full name of the narrowest limit: what a running row carries.
    pub fn leaf(&self) -> &str {
        self.limits.last().map_or("", |(path, _)| path)
    }

    /// The full name of the widest limit: kinds that share any limit share this.
    pub fn root(&self) -> &str {
        self.limits.first().map_or("", |(path, _)| path)
    }

    /// How many may run if nothing else did.
    pub fn size(&self) -> u32 {
        self.limits.iter().map(|(_, max)| *max).min().unwrap_or(u32::MAX)
    }

    /// How many more may run, given how many run under a full name.
    pub fn room(&self, mut running: impl FnMut(&str) -> u32) -> u32 {
        self.limits().map(|(path, max)| max.saturating_sub(running(path))).min().unwrap_or(u32::MAX)
    }

    /// A full name for people.
    pub fn name(path: &str) -> String {
        path.trim_end_matches(BETWEEN).replace(BETWEEN, " / ")
    }

    /// The first full name after all that begin with this one.
    pub fn end(path: &str) -> String {
        format!("{path}{}", char::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(limits: &[(&str, u32)], kind: &str) -> ClusterPath {
        let limits: Vec<_> =
            limits.iter().map(|(name, max)| ClusterLimit { name: (*name).into(), max: *max }).collect();
        ClusterPath::of(&limits, &Kind::new(kind).unwrap()).unwrap()
    }

    #[test]
    fn a_path_counts_at_every_limit_on_the_way() {
        let tree = [("all", 30), ("payout", 15), ("*", 3)];
        let (one, two) = (path(&tree, "pay|A"), path(&tree, "pay|B"));
        assert!(one.leaf().starts_with(one.root()) && one.root() == two.root() && one.leaf() != two.leaf());
        let running = |path: &str| {
            u32::try_from(
                [one.leaf(), one.leaf(), two.leaf()].iter().filter(|leaf| leaf.starts_with(path)).count(),
            )
            .unwrap()
        };
        assert_eq!((one.room(running), two.room(running)), (1, 2));
        assert_eq!(one.size(), 3);
        assert_eq!(ClusterPath::name(one.leaf()), "all / payout / pay|A");
        assert!(one.leaf() < ClusterPath::end(one.root()).as_str());
    }

    #[test]
    fn a_limit_whose_name_begins_another_is_not_counted_with_it() {
        let (pay, payout) = (path(&[("pay", 1)], "x"), path(&[("payout", 1)], "y"));
        assert!(!payout.leaf().starts_with(pay.leaf()));
        assert!(payout.leaf() > ClusterPath::end(pay.leaf()).as_str() || payout.leaf() < pay.leaf());
    }

    #[test]
    fn limits_that_cannot_work_are_refused() {
        let refused =
            |name: &str, max| ClusterLimit::check(&[ClusterLimit { name: name.into(), max }]).is_err();
        assert!(refused("", 1) && refused("a\u{1f}b", 1) && refused("a", 0));
        assert!(!refused("a", 1));
    }
}
