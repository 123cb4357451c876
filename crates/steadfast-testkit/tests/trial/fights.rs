//! Callers whose own transactions fight with each other for the same rows, and add tasks in them, while an engine adds
//! and ends others. The server undoes some of the callers' transactions, and they begin again, as the guide says; the
//! engine's own calls are not to be troubled by it.

use super::witness::Witness;
use super::{database, shown, size};
use crate::caller::Caller;
use crate::client;
use crate::cluster::{self, Cluster};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use steadfast::{Engine, Handler, New, Policy, Retention, Run};

const CALLERS: usize = 6;
const BATCH: usize = 10;

/// What the callers and the engine went through.
#[derive(Default)]
struct Fight {
    numbers: AtomicU64,
    over: AtomicBool,
    /// Tasks that were committed.
    added: AtomicU64,
    /// Callers' transactions that the server undid.
    undone: AtomicU64,
}

impl Fight {
    /// A task with a number of its own; some have a key, which takes another way.
    fn new_task(&self) -> New {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let new = New::kind("quick", number.to_string());
        if number.is_multiple_of(5) { new.key(number.to_string()) } else { new }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn transactions_of_callers_that_fight_trouble_no_call_of_the_engine() {
    let cluster = Cluster::new();
    let name = &database(&cluster).await;
    let url = cluster::url(&cluster.address(), name);
    let witness = Witness::new(cluster.address(), name).await;
    witness.client().await.run("create table account (id int primary key, cents int not null)").await;
    witness.client().await.run("insert into account values (1, 0), (2, 0)").await;
    let (engine, fight) = (worker(&url).await, Arc::new(Fight::default()));
    let callers: Vec<_> =
        (0..CALLERS).map(|nth| tokio::spawn(call(engine.clone(), url.clone(), fight.clone(), nth))).collect();
    let adding = tokio::spawn(add(engine.clone(), fight.clone()));
    // The time is the trial's subject.
    tokio::time::sleep(size(Duration::from_secs(2), Duration::from_secs(10))).await;
    fight.over.store(true, Ordering::SeqCst);
    for caller in callers {
        caller.await.expect("a caller hears nothing but that it must begin again");
    }
    adding.await.expect("no add of the engine fails");
    let n = fight.added.load(Ordering::SeqCst);
    let tally = witness.all_ended(n).await;
    let undone = fight.undone.load(Ordering::SeqCst);
    shown(
        "no deadlock reaches a caller",
        format!("{CALLERS} callers with transactions of their own ({}), {n} tasks", client::FIGHTS),
        format!(
            "their transactions undone and begun again {undone}, adds of the engine that failed 0, lost 0, doubled 0, reaps {}",
            tally.reaps
        ),
        "undone > 0, failed 0, lost 0, doubled 0, reaps 0",
        undone > 0 && tally.reaps == 0,
    );
}

/// Goes on until the fight is over; each transaction is repeated until it stands.
async fn call(engine: Engine, url: String, fight: Arc<Fight>, nth: usize) {
    let mut caller = Caller::new(&url).await;
    while !fight.over.load(Ordering::SeqCst) {
        let mut tasks = Vec::new();
        for _ in 0..2 {
            tasks.push(engine.prepare(fight.new_task()).await.expect("a task"));
        }
        while !caller.pay(&engine, tasks.clone(), nth).await.expect("nothing but begin again") {
            fight.undone.fetch_add(1, Ordering::SeqCst);
        }
        fight.added.fetch_add(2, Ordering::SeqCst);
    }
}

/// Adds without repeating anything: whatever fails is seen.
async fn add(engine: Engine, fight: Arc<Fight>) {
    while !fight.over.load(Ordering::SeqCst) {
        let news: Vec<New> = (0..BATCH).map(|_| fight.new_task()).collect();
        engine.add_many(news).await.expect("it is added");
        fight.added.fetch_add(u64::try_from(BATCH).expect("a few"), Ordering::SeqCst);
    }
}

async fn worker(url: &str) -> Engine {
    let mut policy = Policy::default();
    policy.retention = Retention::Delete;
    let handler = Handler::of("quick", |_: Run| async {}).policy(policy);
    let builder = steadfast::connect(url).await.expect("the store opens").register(handler);
    builder.start().await.expect("the engine starts")
}
