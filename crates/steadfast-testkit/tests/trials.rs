//! Trials on real processes: a worker is killed or stopped at every named point of the protocol while another
//! one lives. What happened is read from the database, by a trigger that the workers do not know, and from a journal.
//!
//! A sample runs with the other tests. `STEADFAST_TRIALS=full` plays all: 200 kills and 50 stops at a lease of 2 s,
//! 5 kills at the default of 15 s.
// This is test code: a trial that cannot go on says so by a panic.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use rustix::process::{Pid, Signal, kill_process};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use steadfast_testkit::Shown;

/// Points that a worker on SQLite passes. It never settles: a reply cannot be lost within a process.
const POINTS: [&str; 11] = [
    "add.sent",
    "add.committed",
    "grab.sent",
    "grab.committed",
    "run.started",
    "park.sent",
    "finish.sent",
    "finish.committed",
    "renew.sent",
    "reap.marked",
    "release.sent",
];
/// Where a stopped worker comes back as a zombie: holding a grant in the handler, after the grab, and with the
/// write lock of the database in the finish and in the renew.
const STOPS: [&str; 4] = ["run.started", "grab.committed", "finish.sent", "renew.sent"];
const ADDS: usize = 20;
/// How long after a death its tasks must run again, beyond the lease.
const RECOVERY: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(60);
/// Trials at once: they wait more than they work.
const AT_ONCE: usize = 9;

/// One trial's folder, processes and findings.
struct Trial {
    dir: tempfile::TempDir,
    lease: Duration,
    workers: Vec<Child>,
}

/// What the journal and the database say.
#[derive(Debug, Default)]
struct Found {
    added: BTreeSet<String>,
    /// Starts of handlers: time, worker, task, grant.
    runs: Vec<(u128, String, String, i64)>,
    marks: Vec<String>,
    /// Ended tasks with the grants that were accepted.
    ends: BTreeMap<String, Vec<i64>>,
    alive: i64,
    /// Tasks whose effects are not there exactly once for their one end.
    effects_wrong: i64,
}

impl Found {
    /// How long it took until the last task of a dead worker ran again: the survivor's first run of it, under a
    /// later grant. Further runs of the same task have other reasons.
    fn recovery_after(&self, died: u128) -> Duration {
        let mut first: BTreeMap<&str, (u128, i64)> = BTreeMap::new();
        for (at, _, id, grant) in self.runs.iter().filter(|(_, worker, ..)| worker == "survivor") {
            first.entry(id).or_insert((*at, *grant));
        }
        let again = first.values().filter(|(at, grant)| *at > died && *grant > 1).map(|(at, _)| *at);
        Duration::from_micros(u64::try_from(again.max().unwrap_or(died) - died).expect("a short time"))
    }
}

impl Trial {
    fn new(lease: Duration) -> Self {
        let trial = Self { dir: tempfile::tempdir().expect("a folder"), lease, workers: Vec::new() };
        // Opened once for its schema, then watched: every row that leaves the table is written down.
        drop(
            steadfast_sqlite::SqliteStore::open(trial.database(), steadfast_sqlite::Options::default())
                .expect("a store"),
        );
        let database = rusqlite::Connection::open(trial.database()).expect("the database opens");
        database
            .execute_batch(
                "create table trial_end (id text not null, grant_no integer not null, kind text not null);
                 create table trial_effect (id text not null);
                 create trigger trial_end after delete on steadfast_task
                 begin insert into trial_end values (lower(hex(old.id)), old.\"grant\", old.kind); end;",
            )
            .expect("the trigger is made");
        trial
    }

    fn database(&self) -> PathBuf {
        self.dir.path().join("trial.db")
    }

    fn journal(&self) -> PathBuf {
        self.dir.path().join("journal")
    }

    fn start(&mut self, name: &str, more: &[&str]) -> usize {
        let worker = Command::new(env!("CARGO_BIN_EXE_trial-worker"))
            .arg(format!("sqlite:{}", self.database().display()))
            .args([self.journal().as_os_str(), name.as_ref()])
            .arg(format!("lease_ms={}", self.lease.as_millis()))
            .args(more)
            .stdin(Stdio::null())
            .spawn()
            .expect("the worker starts");
        self.workers.push(worker);
        self.workers.len() - 1
    }

    fn find(&self) -> Found {
        let mut found = Found::default();
        // The database first: of whatever ended, the journal knows the run by then.
        let database = rusqlite::Connection::open(self.database()).expect("the database opens");
        database.busy_timeout(Duration::from_secs(10)).expect("a timeout");
        let mut ends = database.prepare("select id, grant_no from trial_end").expect("it prepares");
        let rows =
            ends.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))).expect("rows");
        for row in rows {
            let (id, grant) = row.expect("a row");
            found.ends.entry(id).or_default().push(grant);
        }
        found.effects_wrong = database
            .query_row(
                "select count(*) from (
                     select id from (
                         select id, 1 as n from trial_end where kind = 'pays'
                         union all select id, -1 from trial_effect)
                     group by id having sum(n) <> 0)",
                [],
                |row| row.get(0),
            )
            .expect("a count");
        found.alive =
            database.query_row("select count(*) from steadfast_task", [], |row| row.get(0)).expect("a count");
        for line in std::fs::read_to_string(self.journal()).unwrap_or_default().lines() {
            match line.split(' ').collect::<Vec<_>>().as_slice() {
                ["ADDED", id] => drop(found.added.insert(id.replace('-', ""))),
                ["RUN", at, worker, id, grant, _] => found.runs.push((
                    at.parse().expect("a time"),
                    (*worker).to_owned(),
                    id.replace('-', ""),
                    grant.parse().expect("a grant"),
                )),
                _ => found.marks.push(line.to_owned()),
            }
        }
        found
    }

    /// Waits for something to be true of what is found. The bound is for broken code; nothing depends on it.
    fn wait(&self, what: &str, is: impl Fn(&Found) -> bool) -> Found {
        let start = Instant::now();
        loop {
            let found = self.find();
            if is(&found) {
                return found;
            }
            assert!(start.elapsed() < PATIENCE, "{what} did not happen: {found:#?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn signal(&self, worker: usize, signal: Signal) {
        let pid = Pid::from_child(&self.workers[worker]);
        kill_process(pid, signal).expect("the worker can be signalled");
    }

    /// All that was acknowledged ended, and everything that ended did so once.
    fn check(&self) -> Found {
        let found = self.wait("the end of all tasks", |found| {
            found.alive == 0 && found.added.iter().all(|id| found.ends.contains_key(id))
        });
        assert_eq!(found.effects_wrong, 0, "effects without their end: {found:#?}");
        for (id, grants) in &found.ends {
            assert_eq!(grants.len(), 1, "task {id} ended by grants {grants:?}");
            let newest =
                found.runs.iter().filter(|(_, _, task, _)| task == id).map(|(.., grant)| *grant).max();
            assert_eq!(newest, Some(grants[0]), "task {id} was ended by a grant that was lost");
        }
        found
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        for worker in &mut self.workers {
            let _ = worker.kill();
            let _ = worker.wait();
        }
    }
}

fn adds() -> String {
    format!("adds={ADDS}")
}

fn micros_now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970").as_micros()
}

/// Kills a worker at a point; answers how long its tasks took to run again.
fn kill_at(point: &str, nth: u32, lease: Duration) -> Duration {
    let mut trial = Trial::new(lease);
    trial.start("survivor", &[]);
    trial.wait("the survivor", |found| found.marks.iter().any(|mark| mark == "UP survivor"));
    if point == "reap.marked" {
        // Somebody has to be dead for the victim to reap.
        let early = trial.start("early", &[&adds()]);
        trial.wait("a run", |found| found.runs.iter().any(|(_, worker, ..)| worker == "early"));
        trial.signal(early, Signal::KILL);
    }
    let victim =
        trial.start("victim", &[&adds(), &format!("point={point}"), &format!("nth={nth}"), "deed=kill"]);
    if point == "reap.marked" {
        // Whoever is first marks the dead: if the survivor was, there is nothing left to die of.
        trial.wait("the reap", |found| {
            found.alive == 0 || found.marks.iter().any(|mark| mark == "KILL victim")
        });
        trial.signal(victim, Signal::KILL);
    }
    trial.wait_for_death(victim);
    let died = micros_now();
    let found = trial.check();
    found.recovery_after(died)
}

/// Stops a worker at a point until its lease is over, lets it go on, and sees that it can change nothing.
fn stop_at(point: &str, nth: u32, lease: Duration, more: &[&str]) {
    let mut trial = Trial::new(lease);
    trial.start("survivor", &[]);
    trial.wait("the survivor", |found| found.marks.iter().any(|mark| mark == "UP survivor"));
    let (point, nth) = (format!("point={point}"), format!("nth={nth}"));
    let zombie = trial.start("zombie", &[&[&*adds(), &point, &nth, "deed=stop"], more].concat());
    trial.wait_for_stop(zombie);
    std::thread::sleep(lease + RECOVERY);
    trial.signal(zombie, Signal::CONT);
    trial.check();
}

impl Trial {
    fn wait_for_death(&mut self, worker: usize) {
        let began = Instant::now();
        while self.workers[worker].try_wait().expect("the worker can be asked").is_none() {
            assert!(began.elapsed() < PATIENCE, "the worker did not pass its point");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits until the kernel says that a worker is stopped. The journal cannot: it may be stopped in a write.
    fn wait_for_stop(&self, worker: usize) {
        let stat = format!("/proc/{}/stat", self.workers[worker].id());
        let began = Instant::now();
        while !std::fs::read_to_string(Path::new(&stat)).unwrap_or_default().contains(") T ") {
            assert!(began.elapsed() < PATIENCE, "the worker was not stopped");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Plays trials a few at a time.
fn play<T: Send>(trials: Vec<impl FnOnce() -> T + Send>) -> Vec<T> {
    let queue = Mutex::new(trials.into_iter());
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some(trial) = queue.lock().unwrap().next() else { return };
                    let result = trial();
                    results.lock().unwrap().push(result);
                }
            });
        }
    });
    results.into_inner().unwrap()
}

fn full() -> bool {
    std::env::var("STEADFAST_TRIALS").is_ok_and(|size| size == "full")
}

// L-18.
#[test]
fn kill_minus_nine_at_every_point_loses_nothing_and_recovers_in_time() {
    let lease = Duration::from_secs(2);
    let kills = if full() { 200 } else { POINTS.len() };
    let trials: Vec<_> = (0..kills)
        .map(|n| {
            let (point, nth) = (POINTS[n % POINTS.len()], u32::try_from(n / POINTS.len() % 3 + 1).unwrap());
            move || (point, kill_at(point, nth, lease))
        })
        .collect();
    let took = play(trials);
    let (point, worst) = took.iter().max_by_key(|(_, took)| *took).unwrap();
    Shown {
        promise: "G6 recovery",
        store: "sqlite",
        done: format!("{kills} kills (-9) at {} named points, lease {lease:?}", POINTS.len()),
        seen: format!("lost 0, doubled 0, slowest recovery {worst:.1?} at {point}"),
        bar: format!("lost 0, doubled 0, lease + {RECOVERY:?}"),
        ok: *worst <= lease + RECOVERY,
    }
    .hold();
}

// L-20.
#[test]
fn a_stopped_worker_that_goes_on_after_its_lease_changes_nothing() {
    let stops = if full() { 50 } else { STOPS.len() };
    let trials: Vec<_> = (0..stops)
        .map(|n| {
            let (point, nth) = (STOPS[n % STOPS.len()], u32::try_from(n / STOPS.len() % 3 + 1).unwrap());
            move || stop_at(point, nth, Duration::from_secs(2), &[])
        })
        .collect();
    play(trials);
    Shown {
        promise: "G3 fenced finish",
        store: "sqlite",
        done: format!("{stops} stops past the lease at {} named points", STOPS.len()),
        seen: "late finishes accepted 0".into(),
        bar: "0".into(),
        ok: true,
    }
    .hold();
}

#[test]
fn effects_of_stopped_workers_are_there_once_for_each_task_that_is_done() {
    let stops = if full() { 50 } else { 2 };
    let trials: Vec<_> = (0..stops)
        .map(|n| {
            let (point, nth) = (["run.started", "finish.sent"][n % 2], u32::try_from(n / 2 % 5 + 1).unwrap());
            move || stop_at(point, nth, Duration::from_secs(2), &["only=pays"])
        })
        .collect();
    play(trials);
    Shown {
        promise: "G4 effects",
        store: "sqlite",
        done: format!("{stops} stops past the lease, in the handler and in its finish, with effects"),
        seen: "effect rows = done tasks".into(),
        bar: "exactly".into(),
        ok: true,
    }
    .hold();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_serial_key_under_many_adders_keeps_its_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite:{}", folder.path().join("serial.db").display());
    let (n, began) = (if full() { 10_000 } else { 500 }, Instant::now());
    let builders = [steadfast::connect(&url).await.unwrap(), steadfast::connect(&url).await.unwrap()];
    steadfast_testkit::serial_load(builders, n).await;
    Shown {
        promise: "G8 order",
        store: "sqlite",
        done: format!("{n} tasks of one serial key from 16 adders"),
        seen: format!("in order, none left, in {:.1?}", began.elapsed()),
        bar: "in order, none left".into(),
        ok: true,
    }
    .hold();
}

#[test]
fn five_kills_at_the_default_lease_recover_in_time() {
    if !full() {
        println!("only with STEADFAST_TRIALS=full");
        return;
    }
    let lease = Duration::from_secs(15);
    let points = ["add.committed", "grab.committed", "run.started", "finish.sent", "renew.sent"];
    let trials: Vec<_> = points.into_iter().map(|point| move || (point, kill_at(point, 1, lease))).collect();
    let (worst, point) = play(trials).into_iter().map(|(point, took)| (took, point)).max().unwrap();
    Shown {
        promise: "G6 recovery",
        store: "sqlite",
        done: format!("5 kills (-9) at the default lease of {lease:?}"),
        seen: format!("slowest recovery {worst:.1?} at {point}"),
        bar: format!("lease + {RECOVERY:?}"),
        ok: worst <= lease + RECOVERY,
    }
    .hold();
}
