//! Which tasks somebody wants to see.

use crate::id::{TaskId, WorkerId};
use crate::kind::{Bucket, Kind};
use crate::new_task::Key;
use crate::status::Status;
use crate::task::Task;
use crate::time::Time;

/// All conditions must hold; what is not said does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Living tasks or the history.
    pub scope: Scope,
    /// Of this status.
    pub status: Option<Status>,
    /// In this bucket.
    pub bucket: Option<Bucket>,
    /// Of this very kind.
    pub kind: Option<Kind>,
    /// With this key or own id.
    pub key: Option<Key>,
    /// Of this serial key.
    pub serial: Option<String>,
    /// With this first search key.
    pub search1: Option<String>,
    /// With this second search key.
    pub search2: Option<String>,
    /// Held by this worker.
    pub worker: Option<WorkerId>,
    /// Added by this task.
    pub parent: Option<TaskId>,
    /// Added at this time or later.
    pub since: Option<Time>,
    /// Added before this time.
    pub until: Option<Time>,
}

/// Where to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Tasks that have not ended.
    #[default]
    Live,
    /// Tasks that have.
    History,
}

impl Filter {
    /// Whether a task of the right scope meets all conditions.
    pub fn accepts(&self, task: &Task) -> bool {
        fn same<T: PartialEq>(wanted: Option<&T>, seen: Option<&T>) -> bool {
            wanted.is_none() || wanted == seen
        }
        same(self.status.as_ref(), Some(&task.status))
            && same(self.bucket.as_ref(), Some(&task.bucket))
            && same(self.kind.as_ref(), Some(&task.kind))
            && same(self.key.as_ref(), task.key.as_ref())
            && same(self.serial.as_ref(), task.serial.as_ref())
            && same(self.search1.as_ref(), task.search1.as_ref())
            && same(self.search2.as_ref(), task.search2.as_ref())
            && same(self.worker.as_ref(), task.worker.as_ref())
            && same(self.parent.as_ref(), task.parent.as_ref())
            && self.since.is_none_or(|since| task.created_at >= since)
            && self.until.is_none_or(|until| task.created_at < until)
    }
}
