//! The rules one by one: every outcome, every deed, every bad input, as data.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod act;
mod change;
mod decide;
mod filter;
mod new_task;
mod payload;
mod time;
mod trace;

use std::time::Duration;
use steadfast_core::{Kind, NewTask, Payload, Status, Task, TaskId, Time, WorkerId};

/// The time at which everything happens here.
const NOW: Time = Time::from_micros(1_000_000_000);

fn now_and(seconds: u64) -> Time {
    NOW.after(Duration::from_secs(seconds))
}

fn new_task() -> NewTask {
    NewTask::new(TaskId::new(1, [2, 3]), Kind::new("mail").unwrap(), Payload::bytes(*b"hello"))
}

fn worker() -> WorkerId {
    WorkerId::new(4, [5, 6])
}

/// A task as it may stand in a store with this status: added a minute ago, run once.
fn task(status: Status) -> Task {
    let added = Time::from_micros(NOW.micros() - 60_000_000);
    let mut task = Task::added(new_task(), 1, added);
    task.granted(worker(), Duration::from_secs(30), added);
    task.status = status;
    if !status.has_holder() {
        task.worker = None;
    }
    if status != Status::Running {
        task.deadline_at = None;
    }
    if matches!(status, Status::Waiting | Status::Parked) {
        task.due_at = now_and(60);
    }
    task
}

/// Whether a task may have gone from one status to the other; staying is no move.
fn legal(from: Status, to: Status) -> bool {
    from == to || from.may_become(to)
}
