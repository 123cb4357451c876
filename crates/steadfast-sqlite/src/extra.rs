//! What few tasks have and nothing changes, together in one column.

use crate::fault::{Fallible, Fault};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
use steadfast_core::{Key, StoreError, Task, TaskId};

/// What stands in the column, as JSON; null when there is nothing of it.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Extra {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) subkind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<Key>,
    /// How long the key outlives the task, in microseconds. It stands here and not with the key, which may be
    /// cleaned before somebody runs the task again.
    #[serde(skip_serializing_if = "Option::is_none")]
    window_us: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) search1: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) search2: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<TaskId>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) context: BTreeMap<String, String>,
}

impl Extra {
    /// The column of a task whose key has this window.
    pub(crate) fn write(task: &Task, window: Duration) -> Fallible<Option<String>> {
        if is_absent(task) {
            return Ok(None);
        }
        let window_us = u64::try_from(window.as_micros()).unwrap_or(u64::MAX);
        let extra = Self {
            subkind: task.subkind.clone(),
            key: task.key.clone(),
            window_us: task.key.as_ref().map(|_| window_us),
            search1: task.search1.clone(),
            search2: task.search2.clone(),
            parent: task.parent,
            context: task.context.clone(),
        };
        let json = serde_json::to_string(&extra);
        json.map(Some).map_err(|fault| StoreError::Bug(format!("a task has no JSON form: {fault}")).into())
    }

    /// From the column.
    pub(crate) fn read(json: Option<&str>) -> Fallible<Self> {
        json.map_or_else(
            || Ok(Self::default()),
            |json| serde_json::from_str(json).map_err(|_| Fault::unreadable("extra")),
        )
    }

    /// How long the key outlives the task.
    pub(crate) fn window(&self) -> Duration {
        Duration::from_micros(self.window_us.unwrap_or(0))
    }
}

/// Whether a task has nothing of it.
pub(crate) fn is_absent(task: &Task) -> bool {
    task.subkind.is_none()
        && task.key.is_none()
        && task.search1.is_none()
        && task.search2.is_none()
        && task.parent.is_none()
        && task.context.is_empty()
}
