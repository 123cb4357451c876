//! Which tasks are meant.

use crate::times;
use steadfast::{Bucket, Filter, Key, Kind, Scope, Status, TaskId, Time, WorkerId};

/// All conditions must hold.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Which tasks")]
pub(crate) struct FilterArgs {
    /// Of this status
    #[arg(long)]
    status: Option<Status>,
    /// Of this very kind
    #[arg(long, value_parser = kind)]
    kind: Option<Kind>,
    /// In this bucket
    #[arg(long, value_parser = bucket)]
    bucket: Option<Bucket>,
    /// With this key
    #[arg(long, conflicts_with = "own_id")]
    key: Option<String>,
    /// With this id of the caller's own
    #[arg(long)]
    own_id: Option<String>,
    /// Of this serial key
    #[arg(long)]
    serial: Option<String>,
    /// With this first search key
    #[arg(long, value_name = "KEY")]
    search1: Option<String>,
    /// With this second search key
    #[arg(long, value_name = "KEY")]
    search2: Option<String>,
    /// Held by this worker
    #[arg(long, value_name = "ID", value_parser = worker)]
    worker: Option<WorkerId>,
    /// Added by this task
    #[arg(long, value_name = "ID", value_parser = task_id)]
    parent: Option<TaskId>,
    /// Added at this time or later
    #[arg(long, value_name = "TIME", value_parser = times::time)]
    since: Option<Time>,
    /// Added before this time
    #[arg(long, value_name = "TIME", value_parser = times::time)]
    until: Option<Time>,
}

impl FilterArgs {
    /// Whether nothing was said.
    pub(crate) fn is_empty(&self) -> bool {
        self.clone().filter(Scope::Live) == Filter::default()
    }

    /// Final statuses are found in the history, whatever was said.
    pub(crate) fn filter(self, scope: Scope) -> Filter {
        let ended = self.status.is_some_and(Status::is_final);
        Filter {
            scope: if ended { Scope::History } else { scope },
            status: self.status,
            kind: self.kind,
            bucket: self.bucket,
            key: self.key.map(Key::key).or(self.own_id.map(Key::id)),
            serial: self.serial,
            search1: self.search1,
            search2: self.search2,
            worker: self.worker,
            parent: self.parent,
            since: self.since,
            until: self.until,
        }
    }
}

pub(crate) fn kind(text: &str) -> Result<Kind, String> {
    Kind::new(text).map_err(|refusal| refusal.to_string())
}

pub(crate) fn bucket(text: &str) -> Result<Bucket, String> {
    Bucket::new(text).map_err(|refusal| refusal.to_string())
}

fn worker(text: &str) -> Result<WorkerId, String> {
    text.parse().map_err(|_| format!("`{text}` is no worker's id; `steadfast workers` lists them"))
}

pub(crate) fn task_id(text: &str) -> Result<TaskId, String> {
    text.parse().map_err(|_| format!("`{text}` is no task's id; `steadfast list` shows them"))
}
