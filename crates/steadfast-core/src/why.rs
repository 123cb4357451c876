//! Why a task is not running, in words.

use crate::able::{self, Able};
use crate::cluster::ClusterPath;
use crate::id::TaskId;
use crate::kind::{Bucket, Kind};
use crate::policy::Policy;
use crate::seam::WorkerRow;
use crate::status::Status;
use crate::table::Lane;
use crate::task::Task;
use crate::time::Time;
use serde::Serialize;
use std::fmt;
use std::time::Duration;

/// What was seen of the store beside the task itself.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The store's clock.
    pub now: Time,
    /// The rules of the task's kind.
    pub policy: Policy,
    /// All workers.
    pub workers: Vec<WorkerRow>,
    /// Whether the task's bucket is paused.
    pub bucket_paused: bool,
    /// What runs on the workers that handle the kind.
    pub running: Vec<Task>,
    /// The head of the task's serial key.
    pub head: Option<Task>,
    /// The limits of the cluster that the task is under: full name, how many run, how many may.
    pub cluster: Vec<(String, u32, u32)>,
}

/// Why a task is not running; or that it is, or that it need not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Why {
    /// It ended.
    Ended {
        /// How.
        status: Status,
        /// When.
        at: Time,
    },
    /// It runs.
    Runs {
        /// On which worker.
        worker: String,
        /// Since when.
        since: Time,
        /// How long its worker has gone without a sign of life, if that is too long.
        silent: Option<Duration>,
    },
    /// Its time has not come.
    Waits {
        /// When it does.
        until: Time,
        /// How long that is from now.
        left: Duration,
        /// Which failure made it wait, and how many tries there are in all.
        failure: Option<(u32, u32)>,
    },
    /// Its time has come this long ago and nobody has made it ready.
    Overdue {
        /// How late it is.
        late: Duration,
        /// How many workers are alive: any of them makes it ready.
        alive: usize,
    },
    /// Another task of its serial key goes first.
    Behind {
        /// The key.
        serial: String,
        /// Who goes first, and what it is doing; none while the key is being handed on.
        head: Option<(TaskId, Status)>,
    },
    /// An operator paused it.
    Paused,
    /// An operator paused its bucket.
    BucketPaused {
        /// The bucket.
        bucket: Bucket,
    },
    /// Somebody finishes it by its token.
    Parked {
        /// When that counts as a failure.
        until: Time,
        /// How long that is from now.
        left: Duration,
    },
    /// It waits for a person.
    Error {
        /// What went wrong last.
        text: String,
    },
    /// Nobody who lives handles its kind.
    NoWorker {
        /// The kind.
        kind: Kind,
    },
    /// Every worker that handles its kind runs as many of them as it may.
    KindFull {
        /// The handler's kind; where each suffix has a limit of its own, the task's.
        kind: String,
        /// How many run.
        running: usize,
        /// How many may.
        limit: usize,
        /// How long the oldest has been running.
        oldest: Duration,
    },
    /// Every worker that handles its kind runs as many as it may under a limit that kinds share by name.
    LimitFull {
        /// The limit.
        limit: String,
        /// How many run.
        running: usize,
        /// How many may.
        max: usize,
        /// How long the oldest has been running.
        oldest: Duration,
    },
    /// Every worker that handles its kind is full.
    WorkersFull {
        /// How many run.
        running: usize,
        /// How many may.
        slots: usize,
    },
    /// As many run in all workers together as may.
    ClusterFull {
        /// The limit.
        limit: String,
        /// How many run.
        running: u32,
        /// How many may.
        max: u32,
    },
    /// It took workers with it and runs alone, after another such task.
    Suspect {
        /// How often.
        lost: u32,
    },
    /// It waits for its turn: no more may start in a while than this.
    Paced {
        /// The handler's kind.
        kind: String,
        /// How often, for people.
        rate: String,
    },
    /// Its handler has a book of its users, which lets it start when it will.
    Booked {
        /// The handler's kind.
        kind: String,
    },
    /// A worker takes it at any moment.
    Soon,
}

/// Says why a task is not running.
pub fn why(task: &Task, facts: &Facts) -> Why {
    match task.status {
        Status::Done | Status::Failed | Status::Cancelled => {
            Why::Ended { status: task.status, at: task.due_at }
        }
        Status::Running => runs(task, facts),
        Status::Waiting if task.due_at <= facts.now => {
            let alive = facts.workers.iter().filter(|row| row.is_alive(facts.now)).count();
            Why::Overdue { late: facts.now.since(task.due_at), alive }
        }
        Status::Waiting => waits(task, facts),
        Status::Held => behind(task, facts),
        Status::Paused => Why::Paused,
        Status::Parked => Why::Parked { until: task.due_at, left: task.due_at.since(facts.now) },
        Status::Error => Why::Error { text: task.errors.last().unwrap_or("no reason was given").to_owned() },
        Status::Ready => ready(task, facts),
    }
}

fn runs(task: &Task, facts: &Facts) -> Why {
    let row = facts.workers.iter().find(|row| Some(row.worker) == task.worker);
    let worker = row.map_or_else(|| "a worker that is gone".to_owned(), |row| row.name.clone());
    let silent = row.map_or(Some(Duration::ZERO), |row| {
        (!row.is_alive(facts.now)).then(|| facts.now.since(row.lease_until))
    });
    Why::Runs { worker, since: task.changed_at, silent }
}

fn waits(task: &Task, facts: &Facts) -> Why {
    let tries = facts.policy.retry.times().saturating_add(1);
    let failure = (task.failures > 0).then_some((task.failures, tries));
    Why::Waits { until: task.due_at, left: task.due_at.since(facts.now), failure }
}

fn behind(task: &Task, facts: &Facts) -> Why {
    let serial = task.serial.clone().unwrap_or_default();
    Why::Behind { serial, head: facts.head.as_ref().map(|head| (head.id, head.status)) }
}

fn ready(task: &Task, facts: &Facts) -> Why {
    if facts.bucket_paused {
        return Why::BucketPaused { bucket: task.bucket.clone() };
    }
    let alive = facts.workers.iter().filter(|row| row.is_alive(facts.now));
    let able: Vec<Able<'_>> = alive.filter_map(|row| Able::new(row, task, &facts.running)).collect();
    if able.is_empty() {
        return Why::NoWorker { kind: task.kind.clone() };
    }
    let full = full_cluster(facts).or_else(|| able::full(&able, facts.now));
    full.unwrap_or_else(|| match task.lane() {
        Lane::Suspect => Why::Suspect { lost: task.lost },
        Lane::Plain => able::in_time(&able).unwrap_or(Why::Soon),
    })
}

fn full_cluster(facts: &Facts) -> Option<Why> {
    let (path, running, max) = facts.cluster.iter().find(|(_, running, max)| running >= max)?;
    Some(Why::ClusterFull { limit: ClusterPath::name(path), running: *running, max: *max })
}

impl fmt::Display for Why {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended { status, at } => write!(out, "it ended: {status} at {at}"),
            Self::Runs { worker, since, silent: None } => write!(out, "it runs on {worker} since {since}"),
            Self::Runs { worker, silent: Some(silent), .. } => write!(
                out,
                "it runs on {worker}, whose lease ended {} ago; another worker takes it over",
                Span(*silent)
            ),
            Self::Waits { until, left, failure: None } => {
                write!(out, "waits until {until} (in {})", Span(*left))
            }
            Self::Waits { until, left, failure: Some((n, of)) } => {
                write!(out, "waits until {until} (in {}) after failure {n} of {of}", Span(*left))
            }
            Self::Overdue { late, alive: 0 } => {
                write!(out, "its time came {} ago; no worker is alive to make it ready", Span(*late))
            }
            Self::Overdue { late, .. } => {
                write!(out, "its time came {} ago; a live worker makes it ready in a moment", Span(*late))
            }
            Self::Behind { serial, head: Some((id, status)) } => {
                write!(out, "behind serial key `{serial}` (head {id} is {})", in_words(*status))
            }
            Self::Behind { serial, head: None } => {
                write!(out, "behind serial key `{serial}`; it is handed on within a second by a live worker")
            }
            Self::Paused => out.write_str("paused by an operator; release it to let it run"),
            Self::BucketPaused { bucket } => {
                write!(out, "bucket `{bucket}` is paused by an operator; release it to go on")
            }
            Self::Parked { until, left } => write!(
                out,
                "parked: whoever has its token finishes it; a failure at {until} (in {})",
                Span(*left)
            ),
            Self::Error { text } => write!(out, "in error, waits for a person: {text}"),
            Self::NoWorker { kind } => write!(out, "no live worker handles kind `{kind}`"),
            Self::KindFull { kind, running, limit, oldest } => {
                write!(out, "kind `{kind}` is full ({running} of {limit}, oldest since {})", Span(*oldest))
            }
            Self::LimitFull { limit, running, max, oldest } => {
                write!(out, "limit `{limit}` is full ({running} of {max}, oldest since {})", Span(*oldest))
            }
            Self::WorkersFull { running, slots } => {
                write!(out, "all workers that handle its kind are full ({running} of {slots} slots)")
            }
            Self::ClusterFull { limit, running, max } => {
                write!(out, "limit `{limit}` of the cluster is full ({running} of {max})")
            }
            Self::Suspect { lost } => {
                write!(out, "{lost} workers died while running it; it runs alone, after others like it")
            }
            Self::Paced { kind, rate } => {
                write!(out, "ready; of kind `{kind}` no more than {rate} may start in a worker")
            }
            Self::Booked { kind } => {
                write!(out, "ready; it starts when the book of kind `{kind}` lets it")
            }
            Self::Soon => out.write_str("ready; a worker takes it at its next turn"),
        }
    }
}

fn in_words(status: Status) -> String {
    if status == Status::Error { "in error".to_owned() } else { status.to_string() }
}

/// A duration as people say it: the two largest units at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span(pub Duration);

impl fmt::Display for Span {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        let (large, small, names) = match seconds {
            0 => return write!(out, "{} ms", self.0.as_millis()),
            1..60 => return write!(out, "{seconds} s"),
            60..3600 => (seconds / 60, seconds % 60, ("min", "s")),
            3600..86_400 => (seconds / 3600, seconds % 3600 / 60, ("h", "min")),
            _ => (seconds / 86_400, seconds % 86_400 / 3600, ("d", "h")),
        };
        match small {
            0 => write!(out, "{large} {}", names.0),
            _ => write!(out, "{large} {} {small} {}", names.0, names.1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_reads_as_people_say_it() {
        for (ms, text) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (40_000, "40 s"),
            (180_000, "3 min"),
            (185_000, "3 min 5 s"),
            (7_500_000, "2 h 5 min"),
            (200_000_000, "2 d 7 h"),
        ] {
            assert_eq!(Span(Duration::from_millis(ms)).to_string(), text);
        }
    }
}
