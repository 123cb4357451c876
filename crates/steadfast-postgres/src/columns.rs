//! Values as the tables keep them.

use crate::fault::{Fallible, Fault};
use std::time::Duration;
use steadfast_core::{TaskId, Time};

/// A length of time in microseconds, short enough to be added to any time.
pub(crate) fn micros(wait: Duration) -> i64 {
    i64::try_from(wait.as_micros()).unwrap_or(i64::MAX).min(Time::MAX.micros())
}

/// A count.
pub(crate) fn count(n: u32) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}

/// A count that was kept.
pub(crate) fn uncount(n: i32) -> u32 {
    u32::try_from(n).unwrap_or(0)
}

/// A number of rows.
pub(crate) fn rows(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A number of rows that was told.
pub(crate) fn unrows(n: i64) -> usize {
    usize::try_from(n).unwrap_or(0)
}

/// One column of a batch.
pub(crate) fn column<T, C>(items: &[T], value: impl FnMut(&T) -> C) -> Vec<C> {
    items.iter().map(value).collect()
}

/// The one column of the one row.
pub(crate) fn only<'a, T: tokio_postgres::types::FromSql<'a>>(
    rows: &'a [tokio_postgres::Row],
) -> Fallible<T> {
    let row = rows.first().ok_or_else(|| Fault::unreadable("nothing"))?;
    Ok(row.try_get(0)?)
}

/// Puts a batch into rounds in which no task is named twice, each in order of ids: so that two batches never
/// wait for each other, and of two words on one task the first goes first. Answers places in the batch.
pub(crate) fn rounds<T>(items: &[T], id: impl Fn(&T) -> TaskId) -> Vec<Vec<usize>> {
    let mut places: Vec<(TaskId, usize)> =
        items.iter().enumerate().map(|(at, item)| (id(item), at)).collect();
    places.sort_unstable();
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    for same in places.chunk_by(|(one, _), (other, _)| one == other) {
        for (round, (_, at)) in same.iter().enumerate() {
            if round == rounds.len() {
                rounds.push(Vec::with_capacity(places.len()));
            }
            rounds[round].push(*at);
        }
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_in_order_and_name_nothing_twice() {
        let ids = [3, 1, 3, 2, 3].map(|n| TaskId::new(n, [0, 0]));
        assert_eq!(rounds(&ids, |id| *id), [vec![1, 3, 0], vec![2], vec![4]]);
        assert!(rounds(&[], |id: &TaskId| *id).is_empty());
    }

    #[test]
    fn the_longest_wait_can_be_added_to_any_time() {
        assert!(Time::MAX.micros().checked_add(micros(Duration::MAX)).is_some());
    }
}
