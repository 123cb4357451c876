//! What waits, and for what.

use super::children;
use super::news::Seat;
use super::numbers::{grouped, plural, short};
use super::scene::Wait;
use super::snapshot::Snapshot;
use super::story;
use std::time::Duration;
use steadfast::Status;

/// A look at the store, and who is known to be dead though its lease goes on.
struct Why<'a> {
    seen: &'a Snapshot,
    dead: Option<Seat>,
}

/// One line for each reason that somebody waits for, the most interesting first.
pub(super) fn waits(seen: &Snapshot, dead: Option<Seat>) -> Vec<Wait> {
    let why = Why { seen, dead };
    let mut waits: Vec<Wait> = why.behind_dead().into_iter().collect();
    for reason in [Why::behind_limit, Why::before_time, Why::for_clerk, Why::for_person] {
        let line = |kind: &str| Some(Wait { who: kind.to_owned(), why: reason(&why, kind)? });
        waits.extend(story::KINDS.into_iter().filter_map(line));
    }
    waits
}

impl Why<'_> {
    fn behind_dead(&self) -> Option<Wait> {
        let row = self.seen.worker(&children::name(self.dead?))?;
        let held = self.seen.held(row).count() as u64;
        let when = match row.lease_until.since(self.seen.now) {
            Duration::ZERO => "its lease ended".to_owned(),
            left => format!("its lease ends in {}", short(left)),
        };
        let why = format!("dead, holds {}; {when}", plural(held, "task"));
        (held > 0).then(|| Wait { who: row.name.clone(), why })
    }

    fn behind_limit(&self, kind: &str) -> Option<String> {
        let limit = story::limit(kind)?;
        let ready = self.seen.count(kind, Status::Ready);
        let slots = (0..children::SEATS).filter(|seat| Some(*seat) != self.dead).filter_map(|seat| {
            let row = self.seen.worker(&children::name(seat)).filter(|row| !row.dead)?;
            let used = self.seen.held(row).filter(|task| task.kind.as_str() == kind).count();
            Some(format!("{used} of {limit} on {}", row.name))
        });
        let slots: Vec<_> = slots.collect();
        (ready > 0).then(|| format!("{} ready; slots {}", grouped(ready), slots.join(", ")))
    }

    fn before_time(&self, kind: &str) -> Option<String> {
        let waiting: Vec<_> = self.seen.waiting.iter().filter(|task| task.kind.as_str() == kind).collect();
        let next = match waiting.iter().map(|task| task.due_at).min()?.since(self.seen.now) {
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

    fn for_clerk(&self, kind: &str) -> Option<String> {
        let parked = self.seen.count(kind, Status::Parked);
        (parked > 0).then(|| format!("{parked} parked until the clerk answers; no worker is held"))
    }

    fn for_person(&self, kind: &str) -> Option<String> {
        let error = self.seen.count(kind, Status::Error);
        (error > 0).then(|| format!("{error} in error: a person has to look"))
    }
}
