//! What must happen at least once over many seeds, or the simulator shows less than it says.

use std::collections::BTreeMap;
use std::fmt;

/// Everything that is counted: the faults that can be injected, and what the engine does about them.
const ALL: [&str; 34] = [
    "add beside",
    "again",
    "birth",
    "call fails after",
    "call fails before",
    "call is slow",
    "cancel",
    "clock jump",
    "cluster full",
    "commit",
    "crash",
    "drain",
    "due and granted",
    "ejection",
    "ejection unknown",
    "finish",
    "finish lost",
    "finish refused",
    "freeze",
    "give back",
    "grab",
    "hint lost",
    "hint twice",
    "outage",
    "pause",
    "reap",
    "recall",
    "release",
    "run fails",
    "run hangs",
    "settle",
    "tick",
    "token refused",
    "token taken",
];

/// How often each of them happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sometimes(BTreeMap<&'static str, usize>);

impl Default for Sometimes {
    fn default() -> Self {
        Self(ALL.into_iter().map(|what| (what, 0)).collect())
    }
}

impl Sometimes {
    pub(crate) fn saw(&mut self, what: &'static str) {
        self.saw_n(what, 1);
    }

    pub(crate) fn saw_n(&mut self, what: &'static str, n: usize) {
        *self.0.get_mut(what).expect("whatever is counted stands in the list") += n;
    }

    /// Adds what another run saw.
    pub fn add(&mut self, other: &Self) {
        for (what, n) in &other.0 {
            self.saw_n(what, *n);
        }
    }

    /// How often it happened.
    pub fn count(&self, what: &str) -> usize {
        self.0.get(what).copied().unwrap_or(0)
    }

    /// What never happened.
    pub fn never(&self) -> Vec<&'static str> {
        self.0.iter().filter_map(|(what, n)| (*n == 0).then_some(*what)).collect()
    }
}

impl fmt::Display for Sometimes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: Vec<String> = self.0.iter().map(|(what, n)| format!("{what} {n}")).collect();
        out.write_str(&counts.join(", "))
    }
}
