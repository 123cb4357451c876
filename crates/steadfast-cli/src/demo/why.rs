//! What waits, and for what.

use super::children;
use super::numbers::{grouped, plural, short};
use super::scene::Wait;
use super::snapshot::Snapshot;
use super::story;
use std::time::Duration;
use steadfast::Status;

/// One line for each reason that somebody waits for, the most interesting first.
pub(super) fn waits(snapshot: &Snapshot, dead: Option<usize>) -> Vec<Wait> {
    let mut waits: Vec<Wait> = dead.and_then(|seat| behind_dead(snapshot, seat)).into_iter().collect();
    for reason in [behind_limit, before_time, for_clerk, for_person] {
        let line = |kind: &str| Some(Wait { who: kind.to_owned(), why: reason(snapshot, kind)? });
        waits.extend(story::KINDS.into_iter().filter_map(line));
    }
    waits
}

fn behind_dead(snapshot: &Snapshot, seat: usize) -> Option<Wait> {
    let row = snapshot.worker(&children::name(seat))?;
    let held = snapshot.held(row).count() as u64;
    let ends = row.lease_until.since(snapshot.now);
    let when =
        if ends.is_zero() { "taken over now".into() } else { format!("its lease ends in {}", short(ends)) };
    let why = format!("dead, holds {}; {when}", plural(held, "task"));
    (held > 0).then(|| Wait { who: children::name(seat), why })
}

fn behind_limit(snapshot: &Snapshot, kind: &str) -> Option<String> {
    let limit = story::limit(kind)?;
    let ready = snapshot.count(kind, Status::Ready);
    let slots = (0..children::SEATS).filter_map(|seat| {
        let row = snapshot.worker(&children::name(seat)).filter(|row| !row.dead)?;
        let used = snapshot.held(row).filter(|task| task.kind.as_str() == kind).count();
        Some(format!("{used} of {limit} on {}", row.name))
    });
    let slots: Vec<_> = slots.collect();
    (ready > 0).then(|| format!("{} ready; slots {}", grouped(ready), slots.join(", ")))
}

fn before_time(snapshot: &Snapshot, kind: &str) -> Option<String> {
    let waiting: Vec<_> = snapshot.waiting.iter().filter(|task| task.kind.as_str() == kind).collect();
    let next = waiting.iter().map(|task| task.due_at).min()?;
    let next = match next.since(snapshot.now) {
        Duration::ZERO => "now".to_owned(),
        wait => format!("in {}", short(wait)),
    };
    let n = grouped(waiting.len() as u64);
    if waiting.iter().any(|task| task.failures > 0) {
        let error = waiting.iter().find_map(|task| task.errors.last()).unwrap_or_default();
        return Some(format!("{n} wait for a retry, the next {next} ({error})"));
    }
    Some(format!("{n} scheduled, the next {next}"))
}

fn for_clerk(snapshot: &Snapshot, kind: &str) -> Option<String> {
    let parked = snapshot.count(kind, Status::Parked);
    (parked > 0).then(|| format!("{parked} parked until the clerk answers; no worker is held"))
}

fn for_person(snapshot: &Snapshot, kind: &str) -> Option<String> {
    let error = snapshot.count(kind, Status::Error);
    (error > 0).then(|| format!("{error} in error: a person has to look"))
}
