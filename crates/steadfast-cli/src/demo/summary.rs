//! The sums at the end, from the database alone: the tasks as the store has them, beside what the demo's own
//! triggers wrote down. Neither asks the workers what they think they did.

use super::book::{self, Book};
use super::latency::Quantiles;
use super::numbers::{grouped, plural, short};
use super::story::{CLOSED, SLOWBANK};
use super::worker::LEASE;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::time::Duration;
use steadfast::{Engine, Filter, Scope, Status, Task, TaskId, Time};

/// Most tasks that are read: far more than the demo adds, so that a stranger among them is seen.
const TASKS_MAX: usize = 1_000_000;

/// What the parent knows by itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    /// What the store said it had added.
    pub(super) added: Vec<TaskId>,
    /// When a worker was killed, and until when its tasks were taken over.
    pub(super) killed: Option<(Time, Time)>,
    /// From the start to the last end, or to Ctrl-C.
    pub(super) worked: Duration,
    pub(super) interrupted: bool,
    /// From ready to start, by kind.
    pub(super) latencies: Vec<(&'static str, Quantiles)>,
}

/// A task as far as the sums need it.
#[derive(Debug, Clone)]
struct Row {
    kind: String,
    status: Status,
    attempt: u64,
    lost: u64,
}

/// The sums, and what is wrong with them.
#[derive(Debug)]
pub(super) struct Summary {
    facts: Facts,
    book: Book,
    rows: BTreeMap<TaskId, Row>,
    faults: Vec<String>,
}

impl Summary {
    pub(super) async fn read(engine: &Engine, file: &Path, facts: Facts) -> Result<Self> {
        let mut rows = BTreeMap::new();
        for scope in [Scope::Live, Scope::History] {
            let tasks = engine.find_all(Filter { scope, ..Filter::default() }, TASKS_MAX).await?;
            rows.extend(tasks.iter().map(|task| (task.id, Row::of(task))));
        }
        Ok(Self::new(facts, book::read(file)?, rows))
    }

    fn new(facts: Facts, book: Book, rows: BTreeMap<TaskId, Row>) -> Self {
        let mut summary = Self { facts, book, rows, faults: Vec::new() };
        summary.faults = summary.check();
        summary
    }

    /// What does not add up; nothing, if all is well.
    pub(super) fn faults(&self) -> &[String] {
        &self.faults
    }

    /// For programs.
    pub(super) fn value(&self) -> serde_json::Value {
        serde_json::json!({
            "added": self.facts.added.len(),
            "done": self.of(Status::Done),
            "error": self.of(Status::Error),
            "left": self.left(),
            "finished_twice": self.twice(),
            "lost_runs": self.lost(),
            "per_second": self.rate(),
            "recovery": self.recovery(),
            "faults": self.faults,
        })
    }

    fn check(&self) -> Vec<String> {
        let added: BTreeSet<_> = self.facts.added.iter().copied().collect();
        let missing = added.iter().filter(|id| !self.rows.contains_key(id)).count();
        let strange = self.rows.keys().filter(|id| !added.contains(id)).count();
        let twice = self.book.ends.values().filter(|n| **n > 1).count();
        let ended = |row: &Row| row.status.is_final() || row.status == Status::Error;
        let disagree =
            self.rows.iter().filter(|(id, row)| ended(row) != self.book.ends.contains_key(id)).count();
        let error =
            self.rows.values().filter(|row| row.status == Status::Error && row.kind != CLOSED).count();
        let left = if self.facts.interrupted { 0 } else { self.left() };
        let lost = self.lost().abs_diff(self.book.lost.len() as u64);
        let checks = [
            (missing as u64, "added, but not in the store"),
            (strange as u64, "in the store, but never added"),
            (twice as u64, "finished twice"),
            (disagree as u64, "ended by the store or by the triggers, but not by both"),
            (error as u64, "in error without a reason to be"),
            (left, "left behind"),
            (lost, "more or fewer runs lost by the store than by the triggers"),
        ];
        let bad = checks.into_iter().filter(|(n, _)| *n > 0);
        bad.map(|(n, what)| format!("{}: {what}", grouped(n))).collect()
    }

    fn of(&self, status: Status) -> u64 {
        self.rows.values().filter(|row| row.status == status).count() as u64
    }

    fn left(&self) -> u64 {
        let left = |row: &&Row| !row.status.is_final() && row.status != Status::Error;
        self.rows.values().filter(left).count() as u64
    }

    fn lost(&self) -> u64 {
        self.rows.values().map(|row| row.lost).sum()
    }

    fn twice(&self) -> usize {
        self.book.ends.values().filter(|n| **n > 1).count()
    }

    fn rate(&self) -> u64 {
        let ms = u64::try_from(self.facts.worked.as_millis()).unwrap_or(u64::MAX).max(1);
        self.of(Status::Done) * 1_000 / ms
    }

    fn recovery(&self) -> Option<String> {
        let (killed, over) = self.facts.killed?;
        // Somebody may have killed a worker of his own accord, before or after.
        let ours = |at: &&Time| (killed..=over).contains(*at);
        let lost: Vec<_> = self.book.lost.iter().filter(ours).collect();
        let (ready, ran) = (lost.last()?.since(killed), self.book.again.iter().find(ours)?.since(killed));
        let caught = plural(lost.len() as u64, "task");
        Some(format!(
            "kill -9 caught {caught}; ready again after {}, the first ran again after {} (lease {})",
            short(ready),
            short(ran),
            short(LEASE)
        ))
    }

    fn latency(&self) -> String {
        // The slow partner's payouts wait for their own backlog, which says nothing about the engine.
        let told =
            self.facts.latencies.iter().filter(|(kind, _)| *kind != SLOWBANK && kind.starts_with("payout"));
        let told = told.map(|(kind, latency)| {
            let kind = kind.trim_start_matches("payout|");
            format!("{kind} {} (p99 {})", short(latency.p50), short(latency.p99))
        });
        told.take(2).collect::<Vec<_>>().join(", ")
    }
}

impl Row {
    fn of(task: &Task) -> Self {
        let Task { kind, status, attempt, lost, .. } = task;
        Self { kind: kind.to_string(), status: *status, attempt: (*attempt).into(), lost: (*lost).into() }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, n: u64, more: &str| {
            writeln!(out, "{}", format!("  {name:<16}{:>9}  {more}", grouped(n)).trim_end())
        };
        let runs = self.rows.values().map(|row| row.attempt).sum();
        let worked = format!("ended in a second, over {}", short(self.facts.worked));
        line("added", self.facts.added.len() as u64, "")?;
        line("done", self.of(Status::Done), "")?;
        line("error", self.of(Status::Error), "accounts that are closed: these wait for a person")?;
        line(
            "left",
            self.left(),
            if self.facts.interrupted { "a worker on this database would go on" } else { "" },
        )?;
        line("finished twice", self.twice() as u64, "by a trigger on the table")?;
        line("runs", runs, "retries and repeats of lost runs included")?;
        line("lost runs", self.lost(), &self.recovery().unwrap_or_default())?;
        line("throughput", self.rate(), &worked)?;
        writeln!(out, "  {:<27}{}", "from ready to start", self.latency())?;
        for fault in &self.faults {
            writeln!(out, "  WRONG: {fault}")?;
        }
        writeln!(
            out,
            "{}",
            if self.faults.is_empty() { "All sums add up." } else { "The sums do not add up." }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u64) -> TaskId {
        TaskId::new(n, [0, 0])
    }

    /// Three tasks, all of them done once.
    fn sound() -> (Facts, Book, BTreeMap<TaskId, Row>) {
        let row = Row { kind: SLOWBANK.into(), status: Status::Done, attempt: 1, lost: 0 };
        let facts = Facts { added: (0..3).map(id).collect(), ..Facts::default() };
        let book = Book { ends: (0..3).map(|n| (id(n), 1)).collect(), ..Book::default() };
        (facts, book, (0..3).map(|n| (id(n), row.clone())).collect())
    }

    fn check(spoil: impl FnOnce(&mut Facts, &mut Book, &mut BTreeMap<TaskId, Row>), expected: &[&str]) {
        let (mut facts, mut book, mut rows) = sound();
        spoil(&mut facts, &mut book, &mut rows);
        assert_eq!(Summary::new(facts, book, rows).faults(), expected);
    }

    #[test]
    fn what_does_not_add_up_is_said() {
        check(|_, _, _| {}, &[]);
        check(|facts, _, _| facts.added.push(id(9)), &["1: added, but not in the store"]);
        check(|facts, _, _| facts.added.truncate(2), &["1: in the store, but never added"]);
        check(|_, book, _| *book.ends.entry(id(1)).or_default() += 1, &["1: finished twice"]);
        check(
            |_, book, _| book.ends.retain(|end, _| *end != id(1)),
            &["1: ended by the store or by the triggers, but not by both"],
        );
        check(
            |_, book, _| book.lost.push(Time::MIN),
            &["1: more or fewer runs lost by the store than by the triggers"],
        );
        let status = |status| {
            move |_: &mut Facts, _: &mut Book, rows: &mut BTreeMap<TaskId, Row>| {
                for row in rows.values_mut() {
                    row.status = status;
                }
            }
        };
        check(status(Status::Error), &["3: in error without a reason to be"]);
        check(
            status(Status::Ready),
            &["3: ended by the store or by the triggers, but not by both", "3: left behind"],
        );
    }

    #[test]
    fn what_is_left_after_ctrl_c_is_no_fault() {
        let leave = |facts: &mut Facts, book: &mut Book, rows: &mut BTreeMap<TaskId, Row>| {
            facts.interrupted = true;
            book.ends.remove(&id(2));
            rows.get_mut(&id(2)).unwrap().status = Status::Ready;
        };
        check(leave, &[]);
    }
}
