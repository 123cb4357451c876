//! Where the rows of running tasks lie, as far as a store gave them to a worker itself.
//!
//! A finish that knows the place asks no index for it. It is a guess: the store checks the fence where it finds the row,
//! and looks up by its id what is not found there.

use crate::grant::Fence;
use crate::id_map::IdMap;
use std::sync::{Mutex, PoisonError};

/// Most places that are remembered. Beyond it all are forgotten: most of them are of runs that ended another way.
const PLACES_MAX: usize = 100_000;

/// The places of running tasks, in whatever form a store knows them.
#[derive(Debug)]
pub struct Places<P>(Mutex<IdMap<(Fence, P)>>);

impl<P> Default for Places<P> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<P: Copy> Places<P> {
    /// Remembers where the rows of runs lie.
    pub fn note(&self, found: impl IntoIterator<Item = (Fence, P)>) {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if places.len() >= PLACES_MAX {
            places.clear();
        }
        places.extend(found.into_iter().map(|(fence, place)| (fence.task, (fence, place))));
    }

    /// Where the rows of runs lay. It is told once: whoever asks writes the row.
    pub fn take(&self, fences: impl Iterator<Item = Fence>) -> Vec<Option<P>> {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let take = |fence: Fence| {
            let (of, place) = *places.get(&fence.task)?;
            if of != fence {
                return None;
            }
            places.remove(&fence.task);
            Some(place)
        };
        fences.map(take).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grant, TaskId, WorkerId};

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
        places.note([(fence(1, 1), 7)]);
        let asked = [fence(1, 2), fence(1, 1), fence(1, 1)];
        assert_eq!(places.take(asked.into_iter()), [None, Some(7), None]);
    }

    #[test]
    fn too_many_places_are_forgotten() {
        let places = Places::default();
        for n in 0..=PLACES_MAX as u64 {
            places.note([(fence(n, 1), n)]);
        }
        let asked = [fence(0, 1), fence(PLACES_MAX as u64, 1)];
        assert_eq!(places.take(asked.into_iter()), [None, Some(PLACES_MAX as u64)]);
    }
}
