//! Where the rows of running tasks lie, as far as this store grabbed them.
//!
//! A row that is grabbed stays where it is until somebody writes it again. A finish that knows the place asks no index
//! for it and is spared the levels that the primary key of a large table has. It is a guess: the fence is checked
//! where the row is found, and what is not found there is looked up by its id.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use steadfast_core::Fence;

/// Most places that are remembered. Beyond it all are forgotten: most of them are of runs that ended another way.
const PLACES_MAX: usize = 100_000;

/// The places, in PostgreSQL's own words.
#[derive(Default)]
pub(crate) struct Places(Mutex<HashMap<Fence, String>>);

impl Places {
    /// Remembers where the row of a run lies.
    pub(crate) fn note(&self, fence: Option<Fence>, place: String) {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if places.len() >= PLACES_MAX {
            places.clear();
        }
        places.extend(fence.map(|fence| (fence, place)));
    }

    /// Where the row of a run lay. It is told once: whoever asks writes the row.
    pub(crate) fn take(&self, fence: Fence) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&fence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use steadfast_core::{Grant, TaskId, WorkerId};

    fn fence(n: u64, grant: i64) -> Fence {
        Fence {
            task: TaskId::new(n, [n, n]),
            grant: Grant::from_i64(grant),
            worker: WorkerId::new(1, [1, 1]),
        }
    }

    #[test]
    fn a_place_is_told_once_and_to_its_run_alone() {
        let places = Places::default();
        places.note(Some(fence(1, 1)), "(0,1)".into());
        assert_eq!(places.take(fence(1, 2)), None);
        assert_eq!(places.take(fence(1, 1)).as_deref(), Some("(0,1)"));
        assert_eq!(places.take(fence(1, 1)), None);
    }

    #[test]
    fn too_many_places_are_forgotten() {
        let places = Places::default();
        for n in 0..=PLACES_MAX as u64 {
            places.note(Some(fence(n, 1)), "(0,1)".into());
        }
        assert_eq!(places.take(fence(0, 1)), None);
        assert!(places.take(fence(PLACES_MAX as u64, 1)).is_some());
    }
}
