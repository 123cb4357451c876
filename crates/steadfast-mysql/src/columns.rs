//! Values as the tables keep them and the statements take them.

use mysql_async::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;
use steadfast_core::{TaskId, Time};
use uuid::Uuid;

/// A length of time in microseconds, short enough to be added to any time.
pub(crate) fn micros(wait: Duration) -> i64 {
    i64::try_from(wait.as_micros()).unwrap_or(i64::MAX).min(Time::MAX.micros())
}

/// A number of rows.
pub(crate) fn rows(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// An id as a parameter.
pub(crate) fn id(uuid: Uuid) -> Value {
    Value::Bytes(uuid.as_bytes().to_vec())
}

/// Rows for `json_table`, as one parameter. Ids and texts stand in it as [`hex`], so that no character set has a say.
pub(crate) fn list<T>(items: impl IntoIterator<Item = T>, row: impl FnMut(T) -> serde_json::Value) -> Value {
    let rows: serde_json::Value = items.into_iter().map(row).collect();
    Value::Bytes(rows.to_string().into_bytes())
}

/// Tasks for `json_table`.
pub(crate) fn ids(ids: impl IntoIterator<Item = TaskId>) -> Value {
    list(ids, |id| hex_id(id.uuid()).into())
}

/// Bytes as `unhex` takes them.
pub(crate) fn hex(bytes: impl AsRef<[u8]>) -> String {
    let bytes = bytes.as_ref();
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a String does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// An id as `unhex` takes it.
pub(crate) fn hex_id(uuid: Uuid) -> String {
    uuid.simple().to_string()
}

/// Puts a batch into rounds in which no task is named twice, each in order of ids: so that two batches never
/// wait for each other, and of two words on one task the first goes first. Answers places in the batch.
pub(crate) fn rounds<T>(items: &[T], id: impl Fn(&T) -> TaskId) -> Vec<Vec<usize>> {
    let mut seen: BTreeMap<TaskId, Vec<usize>> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        seen.entry(id(item)).or_default().push(at);
    }
    let n = seen.values().map(Vec::len).max().unwrap_or(0);
    (0..n).map(|round| seen.values().filter_map(|places| places.get(round).copied()).collect()).collect()
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
    fn bytes_are_written_as_the_server_reads_them() {
        assert_eq!(hex("aé"), "61c3a9");
        assert_eq!(hex(""), "");
    }
}
