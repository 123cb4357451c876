//! A task before it is added.

use crate::error::Refusal;
use crate::id::TaskId;
use crate::kind::{Bucket, Kind};
use crate::limit::{CONTEXT_BYTES_MAX, TEXT_BYTES_MAX};
use crate::payload::Payload;
use crate::priority::Priority;
use crate::repeat::Repeat;
use crate::text;
use crate::time::When;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Everything a task is told when it is added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTask {
    /// Ours, made by the engine.
    pub id: TaskId,
    /// Which shard.
    pub bucket: Bucket,
    /// Which handler.
    pub kind: Kind,
    /// A label for people and reports.
    pub subkind: Option<String>,
    /// Where a state machine starts.
    pub step: Option<String>,
    /// How urgent.
    pub priority: Priority,
    /// When it may run.
    pub when: When,
    /// Makes a repeat harmless.
    pub key: Option<Key>,
    /// What becomes of it if its key names a task already.
    pub on_repeat: Repeat,
    /// How long the key outlives the task.
    pub key_window: Duration,
    /// One at a time among the tasks that name it.
    pub serial: Option<String>,
    /// For lookup.
    pub search1: Option<String>,
    /// For lookup.
    pub search2: Option<String>,
    /// Which task added it.
    pub parent: Option<TaskId>,
    /// Correlation, trace context, headers.
    pub context: BTreeMap<String, String>,
    /// What the handler gets.
    pub payload: Payload,
}

/// A name that at most one task has, also for a while after it ended.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// Which namespace.
    pub space: KeySpace,
    /// The name.
    pub name: String,
}

/// Callers' own ids and their uniqueness keys do not meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum KeySpace {
    /// A caller's own id of the task.
    Id = 1,
    /// A uniqueness key.
    Key = 2,
}

impl NewTask {
    /// A task of this kind with nothing else said.
    pub fn new(id: TaskId, kind: Kind, payload: Payload) -> Self {
        Self {
            id,
            bucket: Bucket::default(),
            kind,
            subkind: None,
            step: None,
            priority: Priority::default(),
            when: When::Now,
            key: None,
            on_repeat: Repeat::Keep,
            key_window: Duration::ZERO,
            serial: None,
            search1: None,
            search2: None,
            parent: None,
            context: BTreeMap::new(),
            payload,
        }
    }

    /// Refuses what no store could keep. Stores call nothing else before they write.
    pub fn check(&self, payload_bytes_max: usize) -> Result<(), Refusal> {
        let texts = [
            ("subkind", self.subkind.as_deref()),
            ("step", self.step.as_deref()),
            ("key", self.key.as_ref().map(|key| key.name.as_str())),
            ("serial", self.serial.as_deref()),
            ("search1", self.search1.as_deref()),
            ("search2", self.search2.as_deref()),
        ];
        for (what, text) in texts {
            text.map_or(Ok(()), |text| text::check(what, text, TEXT_BYTES_MAX))?;
        }
        if self.key.is_none() && self.on_repeat != Repeat::Keep {
            return Err(Refusal::RepeatWithoutKey);
        }
        self.check_context()?;
        self.when.check("time")?;
        self.payload.check(payload_bytes_max)
    }

    fn check_context(&self) -> Result<(), Refusal> {
        let mut bytes = 0;
        for (name, value) in &self.context {
            text::check("context name", name, TEXT_BYTES_MAX)?;
            if !value.is_empty() {
                text::check("context value", value, CONTEXT_BYTES_MAX)?;
            }
            bytes += name.len() + value.len();
        }
        if bytes > CONTEXT_BYTES_MAX {
            return Err(Refusal::TooLong { what: "context", bytes, bytes_max: CONTEXT_BYTES_MAX });
        }
        Ok(())
    }
}

impl Key {
    /// A uniqueness key.
    #[allow(clippy::self_named_constructors, reason = "its sibling is `Key::id`: both name their space")]
    pub fn key(name: impl Into<String>) -> Self {
        Self { space: KeySpace::Key, name: name.into() }
    }

    /// A caller's own id.
    pub fn id(name: impl Into<String>) -> Self {
        Self { space: KeySpace::Id, name: name.into() }
    }
}

impl KeySpace {
    /// The number that stores keep.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// From the number that stores keep.
    pub fn from_code(code: i64) -> Option<Self> {
        match code {
            1 => Some(Self::Id),
            2 => Some(Self::Key),
            _ => None,
        }
    }
}
