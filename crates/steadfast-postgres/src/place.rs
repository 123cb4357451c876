//! Where the rows of running tasks lie, as far as this store grabbed them.
//!
//! A row that is grabbed stays where it is until somebody writes it again. A finish that knows the place asks no index
//! for it and is spared the levels that the primary key of a large table has. It is a guess: the fence is checked
//! where the row is found, and what is not found there is looked up by its id.

use bytes::{BufMut, BytesMut};
use std::error::Error;
use std::sync::{Mutex, PoisonError};
use steadfast_core::{Fence, IdMap};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};

/// Most places that are remembered. Beyond it all are forgotten: most of them are of runs that ended another way.
const PLACES_MAX: usize = 100_000;

/// A row's block and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tid(u32, u16);

/// What is remembered of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) tid: Tid,
    /// Whether nothing outside the row knows of the task: no key, nothing to look it up by.
    pub(crate) bare: bool,
}

/// The places of the running tasks.
#[derive(Default)]
pub(crate) struct Places(Mutex<IdMap<(Fence, Place)>>);

impl Places {
    /// Remembers where the rows of runs lie.
    pub(crate) fn note(&self, found: impl IntoIterator<Item = (Fence, Place)>) {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if places.len() >= PLACES_MAX {
            places.clear();
        }
        places.extend(found.into_iter().map(|(fence, place)| (fence.task, (fence, place))));
    }

    /// Where the rows of runs lay. It is told once: whoever asks writes the row.
    pub(crate) fn take(&self, fences: impl Iterator<Item = Fence>) -> Vec<Option<Place>> {
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

impl FromSql<'_> for Tid {
    fn from_sql(_: &Type, raw: &[u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let (block, number) = raw.split_first_chunk().ok_or("a place that is cut off")?;
        Ok(Self(u32::from_be_bytes(*block), u16::from_be_bytes(number.try_into()?)))
    }

    accepts!(TID);
}

impl ToSql for Tid {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.put_u32(self.0);
        out.put_u16(self.1);
        Ok(IsNull::No)
    }

    accepts!(TID);
    to_sql_checked!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use steadfast_core::{Grant, TaskId, WorkerId};

    const HERE: Place = Place { tid: Tid(7, 1), bare: true };

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
        places.note([(fence(1, 1), HERE)]);
        let asked = [fence(1, 2), fence(1, 1), fence(1, 1)];
        assert_eq!(places.take(asked.into_iter()), [None, Some(HERE), None]);
    }

    #[test]
    fn too_many_places_are_forgotten() {
        let places = Places::default();
        for n in 0..=PLACES_MAX as u64 {
            places.note([(fence(n, 1), HERE)]);
        }
        let asked = [fence(0, 1), fence(PLACES_MAX as u64, 1)];
        assert_eq!(places.take(asked.into_iter()), [None, Some(HERE)]);
    }

    #[test]
    fn a_place_goes_to_the_server_as_it_came() {
        let mut out = BytesMut::new();
        HERE.tid.to_sql(&Type::TID, &mut out).unwrap();
        assert_eq!(Tid::from_sql(&Type::TID, &out).unwrap(), HERE.tid);
        assert!(Tid::from_sql(&Type::TID, &[1, 2]).is_err());
    }
}
