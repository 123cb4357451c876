//! A task's row as a history keeps it: what the invariants look at.

use std::fmt;
use std::str::FromStr;
use steadfast_core::{Status, Task};

/// A row after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "as in the record of a task")]
pub struct Row {
    pub task: String,
    pub status: Status,
    pub version: i64,
    pub grant: i64,
    pub worker: Option<String>,
    pub attempt: u32,
    pub kind: String,
    pub key: Option<String>,
    pub priority: u8,
    pub seq: i64,
    /// Microseconds, as all times of a history.
    pub due: u64,
    pub ready: u64,
    /// Whether it runs only alone.
    pub suspect: bool,
}

impl Row {
    /// From a task, with times from this moment on.
    pub fn of(task: &Task, start: i64) -> Self {
        let since = |time: steadfast_core::Time| u64::try_from(time.micros() - start).unwrap_or(0);
        Self {
            task: task.id.to_string(),
            status: task.status,
            version: task.version.get(),
            grant: task.grant.get(),
            worker: task.worker.map(|worker| worker.to_string()),
            attempt: task.attempt,
            kind: task.kind.to_string(),
            key: task.key.as_ref().map(|key| key.name.clone()),
            priority: task.priority.get(),
            seq: task.seq,
            due: since(task.due_at),
            ready: since(task.ready_at),
            suspect: task.lane() == steadfast_core::Lane::Suspect,
        }
    }

    /// Whether an outsider could see no difference.
    pub(crate) fn looks_like(&self, other: &Self) -> bool {
        let look = |row: &Self| (row.status, row.grant, row.worker.clone(), row.attempt, row.kind.clone());
        look(self) == look(other)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { task, status, version, grant, attempt, kind, priority, seq, due, ready, .. } = self;
        write!(out, "{task} {status} version={version} grant={grant} attempt={attempt} kind={kind}")?;
        write!(out, " priority={priority} seq={seq} due={due} ready={ready}")?;
        for (name, value) in [("worker", &self.worker), ("key", &self.key)] {
            value.as_ref().map_or(Ok(()), |value| write!(out, " {name}={value}"))?;
        }
        if self.suspect { out.write_str(" suspect=1") } else { Ok(()) }
    }
}

/// What is left out is zero, or nothing.
impl FromStr for Row {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let task = words.next().ok_or("a row without a task")?.to_owned();
        let status = words.next().ok_or("a row without a status")?.parse()?;
        let mut row = Self {
            task,
            status,
            version: 0,
            grant: 0,
            worker: None,
            attempt: 0,
            kind: "-".to_owned(),
            key: None,
            priority: 0,
            seq: 0,
            due: 0,
            ready: 0,
            suspect: false,
        };
        for word in words {
            let (name, value) =
                word.split_once('=').ok_or_else(|| format!("`{word}` says no `name=value`"))?;
            row.set(name, value).ok_or_else(|| format!("`{word}` is no field of a row"))?;
        }
        Ok(row)
    }
}

impl Row {
    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "version" => self.version = value.parse().ok()?,
            "grant" => self.grant = value.parse().ok()?,
            "worker" => self.worker = Some(value.to_owned()),
            "attempt" => self.attempt = value.parse().ok()?,
            "kind" => value.clone_into(&mut self.kind),
            "key" => self.key = Some(value.to_owned()),
            "priority" => self.priority = value.parse().ok()?,
            "seq" => self.seq = value.parse().ok()?,
            "due" => self.due = value.parse().ok()?,
            "ready" => self.ready = value.parse().ok()?,
            "suspect" => self.suspect = value == "1",
            _ => return None,
        }
        Some(())
    }
}
