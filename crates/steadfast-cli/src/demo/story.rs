//! What is added: the payouts and identity checks of a service with good, slow and broken partners.

use serde::Serialize;
use std::time::Duration;
use steadfast::New;

/// Goes before everything else.
pub(super) const INSTANT: &str = "payout|instant";
/// What most customers want.
pub(super) const STANDARD: &str = "payout|standard";
/// A partner with a long backlog that takes only a few at once.
pub(super) const SLOWBANK: &str = "payout|slowbank";
/// A partner that fails twice before it works.
pub(super) const FLAKYBANK: &str = "payout|flakybank";
/// Payouts for later.
pub(super) const SCHEDULED: &str = "payout|scheduled";
/// To accounts that are closed: they fail for good.
pub(super) const CLOSED: &str = "payout|closed";
/// A state machine with a step that a person outside finishes.
pub(super) const IDENTITY: &str = "identity";

/// All kinds, in the order in which they are shown.
pub(super) const KINDS: [&str; 7] = [INSTANT, STANDARD, SLOWBANK, FLAKYBANK, SCHEDULED, CLOSED, IDENTITY];

/// Runs at once in one worker of the kinds that have a limit.
pub(super) fn limit(kind: &str) -> Option<usize> {
    (kind == SLOWBANK).then_some(4)
}

/// How often the feed adds.
pub(super) const BEAT: Duration = Duration::from_millis(100);

/// Most tasks of one add: a transaction that others hardly notice.
const LOT: usize = 2_500;
const SCHEDULED_TASKS: u32 = 6;
const FLAKY_TASKS: u32 = 40;
const CLOSED_TASKS: u32 = 3;
const IDENTITY_TASKS: u32 = 6;

/// How large the demo is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Story {
    slow: u32,
}

/// A payout as its partner gets it.
#[derive(Debug, Serialize)]
struct Payout {
    number: u32,
    cents: u32,
}

impl Story {
    pub(super) fn new(slow: u32) -> Self {
        Self { slow }
    }

    /// Payouts of the slow partner.
    pub(super) fn slow(self) -> u32 {
        self.slow
    }

    /// What is there from the start, in lots. The backlog comes first: whatever is behind it must not wait for it.
    pub(super) fn opening(self) -> Vec<Vec<New>> {
        let mut all: Vec<New> = (0..self.slow).map(|n| payout(SLOWBANK, n)).collect();
        all.extend((0..FLAKY_TASKS).map(|n| payout(FLAKYBANK, n)));
        all.extend((0..CLOSED_TASKS).map(|n| payout(CLOSED, n)));
        all.extend((0..IDENTITY_TASKS).map(|n| New::json(IDENTITY, &n)));
        all.extend((1..=SCHEDULED_TASKS).map(|n| payout(SCHEDULED, n).after(self.pace(3_000) * n)));
        let mut lots = Vec::new();
        while !all.is_empty() {
            let rest = all.split_off(all.len().min(LOT));
            lots.push(std::mem::replace(&mut all, rest));
        }
        lots
    }

    /// What comes in at the n-th beat.
    pub(super) fn beat(n: u32) -> Vec<New> {
        let mut all: Vec<New> = (0..5).map(|more| payout(STANDARD, 5 * n + more)).collect();
        if n.is_multiple_of(2) {
            all.push(payout(INSTANT, n).priority(0));
        }
        if n.is_multiple_of(5) {
            all.push(payout(FLAKYBANK, FLAKY_TASKS + n));
        }
        all
    }

    /// How long the clerk takes for one identity check.
    pub(super) fn clerk(self) -> Duration {
        self.pace(2_000)
    }

    /// A time of the full story, shortened for a smaller one.
    fn pace(self, full_ms: u64) -> Duration {
        Duration::from_millis(full_ms * u64::from(self.slow.clamp(1_000, 10_000)) / 10_000)
    }
}

fn payout(kind: &str, number: u32) -> New {
    New::json(kind, &Payout { number, cents: 100 + number * 7 % 90_000 })
}
