//! A map by task.

use crate::id::TaskId;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// What is known of tasks. Walked, it has no order that means anything, but the same one whenever the same happened.
pub type IdMap<T> = HashMap<TaskId, T, BuildHasherDefault<Tail>>;

/// Ids are ours, and random in their last bytes: those are hash enough.
#[derive(Debug, Default)]
pub struct Tail(u64);

impl Hasher for Tail {
    fn write(&mut self, bytes: &[u8]) {
        if let Some(tail) = bytes.last_chunk() {
            self.0 = u64::from_be_bytes(*tail);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_is_found_by_its_id() {
        let ids: Vec<TaskId> = (0..1000).map(|n| TaskId::new(n, [n.rotate_left(32), n])).collect();
        let mut map: IdMap<usize> = ids.iter().copied().zip(0..).collect();
        assert!(ids.iter().enumerate().all(|(n, id)| map.remove(id) == Some(n)));
        assert!(map.is_empty());
    }
}
