//! How fast the store is, beside a lean loop of raw statements on the same disk.
//!
//! `cargo run --release -p steadfast-sqlite --example speed -- [tasks] [folder]`

use rusqlite::{Connection, TransactionBehavior, params};
use std::path::Path;
use std::time::{Duration, Instant};
use steadfast_core::seam::{Add, Birth, Cause, Finish, Finished, Grab};
use steadfast_core::{
    Bucket, Change, Demand, Kind, Lane, NewTask, Payload, Priority, Retention, Store, Task, TaskId, To,
    WorkerId,
};
use steadfast_sqlite::{Call, Options, SqliteStore, rusqlite};

const BATCH: usize = 500;
const DEADLINE: Duration = Duration::from_secs(3600);

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// What was measured, round by round: a name and tasks a second.
type Rates = Vec<(&'static str, f64)>;

const ROUNDS: usize = 7;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Fallible<()> {
    let mut args = std::env::args().skip(1);
    let n: usize = args.next().map_or(Ok(50_000), |text| text.parse())?;
    let folder = match args.next() {
        Some(parent) => tempfile::tempdir_in(parent)?,
        None => tempfile::tempdir()?,
    };
    let mut rounds: Vec<Rates> = Vec::new();
    for round in 0..ROUNDS {
        let path = |what: &str| folder.path().join(format!("{what}{round}.db"));
        let mut rates = raw(&path("raw"), n)?;
        rates.extend(drain(&path("delete"), n, Retention::Delete).await?);
        rates.extend(drain(&path("history"), n, Retention::History).await?.into_iter().map(history));
        rates.extend(drain_together(&path("together"), n).await?);
        rates.extend(births(&path("births"), n).await?);
        rounds.push(rates);
    }
    println!("{n} tasks in batches of {BATCH}, tasks a second in {ROUNDS} rounds: best, middle");
    for at in 0..rounds[0].len() {
        let mut rates: Vec<f64> = rounds.iter().map(|rates| rates[at].1).collect();
        rates.sort_by(f64::total_cmp);
        println!("{:<24} {:>9.0} {:>9.0}", rounds[0][at].0, rates[ROUNDS - 1], rates[ROUNDS / 2]);
    }
    steps(&folder.path().join("steps.db")).await
}

fn history((name, rate): (&'static str, f64)) -> (&'static str, f64) {
    let name = match name {
        "store: add" => "with history: add",
        "store: grab" => "with history: grab",
        "store: finish" => "with history: finish",
        _ => "with history: drain",
    };
    (name, rate)
}

fn raw(path: &Path, n: usize) -> Fallible<Rates> {
    let mut db = Connection::open(path)?;
    db.execute_batch(
        "pragma journal_mode = wal; pragma synchronous = full;
         create table job (id integer primary key, kind text not null, payload blob not null, priority int not null,
             state int not null, run_at int not null, attempts int not null, locked_by text, locked_until int);
         create index job_ready on job (priority, run_at, id) where state = 0;",
    )?;
    let since = Instant::now();
    let all: Vec<usize> = (0..n).collect();
    for batch in all.chunks(BATCH) {
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut insert = tx.prepare_cached(
            "insert into job (kind, payload, priority, state, run_at, attempts) values ('noop', ?1, 0, 0, 0, 0)",
        )?;
        for at in batch {
            insert.execute(params![payload(*at)])?;
        }
        drop(insert);
        tx.commit()?;
    }
    let added = since.elapsed();
    loop {
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut grab = tx.prepare_cached(
            "update job set state = 1, attempts = attempts + 1, locked_by = 'w', locked_until = 99 where id in
             (select id from job where state = 0 order by priority, run_at, id limit ?1) returning id, payload",
        )?;
        let ids = grab.query_map([i64::try_from(BATCH)?], |row| row.get(0))?;
        let ids: Vec<i64> = ids.collect::<Result<_, _>>()?;
        drop(grab);
        tx.commit()?;
        if ids.is_empty() {
            break;
        }
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut delete = tx.prepare_cached("delete from job where id = ?1")?;
        for id in ids {
            delete.execute([id])?;
        }
        drop(delete);
        tx.commit()?;
    }
    let drained = since.elapsed().saturating_sub(added);
    Ok(vec![("raw: add", rate(n, added)), ("raw: drain", rate(n, drained))])
}

async fn drain(path: &Path, n: usize, retention: Retention) -> Fallible<Rates> {
    let store = SqliteStore::open(path, Options::default())?;
    let mut ids = Ids::default();
    let batches: Vec<Vec<NewTask>> = (0..n.div_ceil(BATCH)).map(|_| ids.tasks(BATCH)).collect();
    let since = Instant::now();
    for tasks in batches {
        store.add(Add { tasks, ..Add::default() }).await?;
    }
    let added = since.elapsed();
    let (mut grabbed, mut finished) = (Duration::ZERO, Duration::ZERO);
    loop {
        let start = Instant::now();
        let tasks = store.grab(grab()?).await?;
        if tasks.is_empty() {
            break;
        }
        grabbed += start.elapsed();
        let start = Instant::now();
        end(&store, &tasks, retention).await?;
        finished += start.elapsed();
    }
    let drained = since.elapsed().saturating_sub(added);
    let times = [added, grabbed, finished, drained].map(|time| rate(n, time));
    Ok(["store: add", "store: grab", "store: finish", "store: drain"].into_iter().zip(times).collect())
}

/// As an engine does: the next grab goes along with the last finish, and both with one commit.
async fn drain_together(path: &Path, n: usize) -> Fallible<Rates> {
    let store = SqliteStore::open(path, Options::default())?;
    let mut ids = Ids::default();
    for _ in 0..n.div_ceil(BATCH) {
        store.add(Add { tasks: ids.tasks(BATCH), ..Add::default() }).await?;
    }
    let since = Instant::now();
    let mut tasks = store.grab(grab()?).await?;
    while !tasks.is_empty() {
        let (finished, next) =
            tokio::join!(store.finish(finishes(&tasks, Retention::Delete)), store.grab(grab()?));
        assert!(!finished?.contains(&Finished::Lost));
        tasks = next?;
    }
    Ok(vec![("store: drain together", rate(n, since.elapsed()))])
}

async fn births(path: &Path, n: usize) -> Fallible<Rates> {
    let store = SqliteStore::open(path, Options::default())?;
    let mut ids = Ids::default();
    let worker = WorkerId::new(0, [7, 7]);
    let since = Instant::now();
    for _ in 0..n.div_ceil(BATCH) {
        let tasks = ids.tasks(BATCH).into_iter().map(|task| (task, DEADLINE)).collect();
        let add = Add { births: Some(Birth { worker, tasks }), ..Add::default() };
        let born = store.add(add).await?.born;
        end(&store, &born, Retention::Delete).await?;
    }
    Ok(vec![("store: born and ended", rate(n, since.elapsed()))])
}

/// What a task costs in statements and steps, which no neighbour on the machine blurs.
async fn steps(path: &Path) -> Fallible<()> {
    let mut options = Options::default();
    options.count_steps = true;
    let store = SqliteStore::open(path, options)?;
    let tasks = Ids::default().tasks(BATCH);
    store.add(Add { tasks, ..Add::default() }).await?;
    let tasks = store.grab(grab()?).await?;
    end(&store, &tasks, Retention::Delete).await?;
    let counters = store.counters();
    for call in [Call::Add, Call::Grab, Call::Finish] {
        let cost = counters.of(call);
        println!("{call:?}: {} statements, {} steps for {BATCH} tasks", cost.statements, cost.steps);
    }
    Ok(())
}

fn grab() -> Fallible<Grab> {
    let demand = Demand { kind: kind()?, priority: Priority::default(), lane: Lane::Plain, n: BATCH };
    let worker = WorkerId::new(0, [7, 7]);
    Ok(Grab {
        worker,
        bucket: Bucket::default(),
        demands: vec![(demand, DEADLINE)],
        under: None,
        durable: false,
    })
}

async fn end(store: &SqliteStore, tasks: &[Task], retention: Retention) -> Fallible<()> {
    let finished = store.finish(finishes(tasks, retention)).await?;
    assert!(!finished.contains(&Finished::Lost) && finished.len() == tasks.len());
    Ok(())
}

fn finishes(tasks: &[Task], retention: Retention) -> Vec<Finish> {
    let finish = |task: &Task| {
        let change = Change {
            to: To::Done(retention),
            attempt: task.attempt,
            failures: 0,
            lost: 0,
            errors: None,
            output: None,
            kind: None,
            step: None,
            payload: None,
        };
        task.fence().map(|fence| Finish { fence, cause: Cause::Holder, change })
    };
    tasks.iter().filter_map(finish).collect()
}

/// Ids as an engine makes them: time in front, chance behind.
#[derive(Default)]
struct Ids(u64);

impl Ids {
    fn tasks(&mut self, n: usize) -> Vec<NewTask> {
        (0..n).filter_map(|_| self.task().ok()).collect()
    }

    fn task(&mut self) -> Fallible<NewTask> {
        self.0 += 1;
        let random = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let id = TaskId::new(1_700_000_000_000 + self.0 / 100, [random, random >> 7]);
        Ok(NewTask::new(id, kind()?, Payload::bytes(payload(usize::try_from(self.0)?).into_bytes())))
    }
}

fn kind() -> Fallible<Kind> {
    Ok(Kind::new("noop")?)
}

fn payload(at: usize) -> String {
    format!("{{\"order\":{at:010}}}")
}

#[allow(clippy::cast_precision_loss)] // A rate for people.
fn rate(n: usize, time: Duration) -> f64 {
    n as f64 / time.as_secs_f64()
}
