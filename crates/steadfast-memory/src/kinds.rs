//! The policies of kinds, for those who do not handle them.

use crate::state::State;
use steadfast_core::seam::KindRow;
use steadfast_core::{Kind, Policy, WorkerId};

impl State {
    /// Writes the policies of a program's kinds, each unless a newer build that is alive wrote it.
    pub(crate) fn declare(&mut self, worker: WorkerId, build: i64, kinds: Vec<(Kind, Policy)>) {
        for (kind, policy) in kinds {
            if self.may_declare(&kind, build) {
                self.kinds.insert(kind.clone(), KindRow { kind, policy, build, worker });
            }
        }
    }

    /// A newer build's word stands as long as its last writer lives; so a rollback can win.
    fn may_declare(&self, kind: &Kind, build: i64) -> bool {
        self.kinds.get(kind).is_none_or(|row| row.build <= build || !self.is_live(row.worker))
    }
}
