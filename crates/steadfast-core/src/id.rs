//! Names that are ours to give: of tasks, of workers, of batches.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use uuid::Uuid;

/// A task's id: a UUIDv7, always made by us. A caller's own id is a [`Key`](crate::Key).
pub type TaskId = Id<OfTask>;
/// The id of one start of one engine process. A restarted process is another worker.
pub type WorkerId = Id<OfWorker>;
/// The first row that a batch writes, by which a lost reply is settled.
pub type Receipt = Id<OfBatch>;

/// A UUIDv7 that says what it names, so that a worker's id is never taken for a task's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent, bound = "")]
pub struct Id<Of> {
    uuid: Uuid,
    of: PhantomData<Of>,
}

/// Marks the id of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OfTask {}

/// Marks the id of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OfWorker {}

/// Marks the id of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OfBatch {}

impl<Of> Id<Of> {
    /// Makes one: ordered by the millisecond, unique by 74 random bits. Time and chance are handed in; the
    /// time is a label and decides nothing.
    pub fn new(unix_ms: u64, random: [u64; 2]) -> Self {
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&random[0].to_le_bytes());
        bytes[8..].copy_from_slice(&random[1].to_le_bytes()[..2]);
        Self::from_uuid(uuid::Builder::from_unix_timestamp_millis(unix_ms, &bytes).into_uuid())
    }

    /// From a UUID that a store kept.
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self { uuid, of: PhantomData }
    }

    /// As a plain UUID.
    pub const fn uuid(&self) -> Uuid {
        self.uuid
    }
}

impl<Of> fmt::Display for Id<Of> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.uuid.fmt(out)
    }
}

impl<Of> FromStr for Id<Of> {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        Uuid::parse_str(text).map(Self::from_uuid)
    }
}

#[cfg(test)]
mod tests {
    use super::TaskId;

    // U-08.
    #[test]
    fn an_id_is_read_without_hyphens_and_in_any_case() {
        let id = TaskId::new(1_700_000_000_000, [7, 8]);
        let text = id.to_string();
        for text in [text.clone(), text.replace('-', ""), text.to_uppercase()] {
            assert_eq!(text.parse(), Ok(id), "{text}");
        }
        assert!(text[1..].parse::<TaskId>().is_err());
    }
}
