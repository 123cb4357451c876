//! What the rows of a store say about the health of its workers and tasks. Pure: the rows are handed in.

use std::collections::BTreeMap;
use std::time::Duration;
use steadfast_core::seam::{Count, WorkerRow};
use steadfast_core::{Bucket, Finding, Kind, Span, Status, Task, Time};

/// Clocks that differ by less are as good as the same.
const SKEW_MAX: Duration = Duration::from_secs(2);
/// Kinds, workers or buckets that a text names; the rest is counted.
const NAMED_MAX: usize = 5;

/// Whether the store's clock is the host's.
pub(crate) fn clock(store: Time, host: Time) -> Finding {
    let skew = store.since(host).max(host.since(store));
    if skew <= SKEW_MAX {
        return Finding::good("clock", "the store's and this host's agree");
    }
    let text = format!("this host's is {} off the store's, which decides; set it by NTP", Span(skew));
    Finding::warning("clock", text)
}

/// Whether anybody is alive.
pub(crate) fn workers(workers: &[WorkerRow], now: Time) -> Finding {
    let live = workers.iter().filter(|row| row.is_alive(now)).count();
    let silent: Vec<&str> =
        workers.iter().filter(|row| !row.dead && !row.is_alive(now)).map(|row| row.name.as_str()).collect();
    if !silent.is_empty() {
        let text = format!("{live} alive; silent past their lease: {}", named(&silent));
        return Finding::warning("workers", text);
    }
    match live {
        0 => Finding::warning("workers", "none is alive; start one to run tasks"),
        _ => Finding::good("workers", format!("{live} alive")),
    }
}

/// Whether runs are past their deadline or lost with their worker.
pub(crate) fn runs(running: &[Task], workers: &[WorkerRow], now: Time) -> Finding {
    let lives = |task: &&Task| workers.iter().any(|row| Some(row.worker) == task.worker && row.is_alive(now));
    let lost = running.iter().filter(|task| !lives(task)).count();
    let stuck = running.iter().filter(|task| task.deadline_at.is_some_and(|deadline| deadline < now)).count();
    if lost + stuck == 0 {
        return Finding::good("runs", format!("{} running, none lost or past its deadline", running.len()));
    }
    let text =
        format!("{lost} lost with their worker, {stuck} past their deadline; a live worker takes them over");
    Finding::warning("runs", text)
}

/// Whether tasks wait for a person.
pub(crate) fn errors(counts: &[Count]) -> Finding {
    let of_errors = |count: &&Count| count.status == Status::Error;
    let kinds: Vec<&str> = counts.iter().filter(of_errors).map(|count| count.kind.as_str()).collect();
    match counts.iter().filter(of_errors).map(|count| count.n).sum::<u64>() {
        0 => Finding::good("errors", "no task waits for a person"),
        n => Finding::warning(
            "errors",
            format!(
                "tasks that wait for a person: {n} ({}); run them again or acknowledge them",
                named(&kinds)
            ),
        ),
    }
}

/// Whether tasks are of a kind that no live worker handles.
pub(crate) fn orphans(counts: &[Count], workers: &[WorkerRow], now: Time) -> Finding {
    let handled = |kind: &Kind| workers.iter().any(|row| row.is_alive(now) && row.offer.find(kind).is_some());
    let mut orphans: BTreeMap<&str, u64> = BTreeMap::new();
    let unhandled = |count: &&Count| count.status != Status::Error && !handled(&count.kind);
    for count in counts.iter().filter(unhandled) {
        *orphans.entry(count.kind.as_str()).or_default() += count.n;
    }
    if orphans.is_empty() {
        return Finding::good("kinds", "each kind that has tasks has a live worker");
    }
    let names: Vec<&str> = orphans.keys().copied().collect();
    let n: u64 = orphans.values().sum();
    let text = format!("tasks of kinds that no live worker handles: {n} ({})", named(&names));
    Finding::bad("kinds", text)
}

/// Whether buckets are paused, or stopped in this worker.
pub(crate) fn buckets(paused: &[Bucket], stopped: &[Bucket]) -> Finding {
    let said = [("paused", paused), ("stopped in this worker", stopped)];
    let said = said.iter().filter(|(_, buckets)| !buckets.is_empty()).map(|(what, buckets)| {
        format!("{what}: {}", named(&buckets.iter().map(Bucket::as_str).collect::<Vec<_>>()))
    });
    match said.collect::<Vec<_>>().join("; ") {
        text if text.is_empty() => Finding::good("buckets", "none is paused"),
        text => Finding::warning("buckets", text),
    }
}

fn named(names: &[&str]) -> String {
    let text = names.iter().take(NAMED_MAX).copied().collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(NAMED_MAX) {
        None | Some(0) => text,
        Some(more) => format!("{text} and {more} more"),
    }
}
