//! What really happened, as the database saw it.

use crate::client::{self, Client};
use crate::cluster;
use std::time::{Duration, Instant};

/// How long anything may take. The bound is for broken code; nothing depends on it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(20);
/// Longer than the tenth of a second for which `InnoDB` shows the same picture of its transactions to whoever asks again.
const LOOK: Duration = Duration::from_millis(150);

/// One look at everything that was written down.
#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) added: i64,
    /// How many of the numbers that tasks carry came to an end.
    pub(crate) ended: i64,
    pub(crate) alive: i64,
    pub(crate) grabs: i64,
    pub(crate) reaps: i64,
    pub(crate) backs: i64,
    /// Numbers that were added more than once.
    pub(crate) doubled: i64,
    /// Tasks that ended more than once, or by another grant than their last.
    pub(crate) ended_wrong: i64,
    /// Grants that were given more than once.
    pub(crate) granted_twice: i64,
    /// The highest attempt that a task ended with.
    pub(crate) attempt_max: i64,
    /// Tasks whose effects are not there exactly once for their one end.
    pub(crate) effects_wrong: i64,
}

/// A database whose tasks are watched.
pub(crate) struct Witness {
    address: String,
    database: String,
}

impl Witness {
    /// Makes the tables, as the first worker would, and begins to watch.
    pub(crate) async fn new(address: String, database: &str) -> Self {
        drop(steadfast::connect(&cluster::url(&address, database)).await.expect("a store"));
        let witness = Self::of_copy(address, database);
        witness.client().await.run(client::WITNESS).await;
        witness
    }

    /// Of a database that was copied from a watched one.
    pub(crate) fn of_copy(address: String, database: &str) -> Self {
        Self { address, database: database.to_owned() }
    }

    /// A connection of its own; the server may have been crashed a moment ago.
    pub(crate) async fn client(&self) -> Client {
        let began = Instant::now();
        loop {
            match Client::open(&self.address, &self.database).await {
                Ok(client) => return client,
                Err(error) => assert!(began.elapsed() < PATIENCE, "no connection: {error}"),
            }
            tokio::time::sleep(POLL).await;
        }
    }

    pub(crate) async fn tally(&self) -> Tally {
        let row = self.client().await.row(include_str!("tally.sql")).await;
        let [
            added,
            ended,
            alive,
            grabs,
            reaps,
            backs,
            doubled,
            ended_wrong,
            granted_twice,
            attempt_max,
            effects_wrong,
        ] = row
            .iter()
            .map(|n| n.parse().expect("a count"))
            .collect::<Vec<i64>>()
            .try_into()
            .expect("all counts");
        Tally {
            added,
            ended,
            alive,
            grabs,
            reaps,
            backs,
            doubled,
            ended_wrong,
            granted_twice,
            attempt_max,
            effects_wrong,
        }
    }

    /// Waits for a condition, as long as tasks come to their ends.
    pub(crate) async fn wait(&self, what: &str, condition: &str) {
        let (mut since, mut ended, mut client) = (Instant::now(), 0, self.client().await);
        let sql = format!("select case when {condition} then 'yes' else 'no' end");
        while client.row(&sql).await[0] != "yes" {
            if since.elapsed() > PATIENCE {
                let tally = self.tally().await;
                assert!(tally.ended > ended, "{what} did not happen: {tally:?}");
                (since, ended) = (Instant::now(), tally.ended);
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Waits until nobody sits in a transaction that began before now: whoever works goes on to read.
    pub(crate) async fn none_open(&self) {
        let (began, mut client, now) = (Instant::now(), self.client().await, self.now().await);
        while !client.none_open_since(now).await {
            assert!(began.elapsed() < PATIENCE, "a transaction stays open");
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits until so many tasks came to an end and none is left, and checks what must always hold.
    pub(crate) async fn all_ended(&self, n: u64) -> Tally {
        let condition = format!(
            "not exists (select 1 from trial_task) \
             and (select count(*) from trial_event where what = 'end') >= {n}"
        );
        self.wait(&format!("the end of {n} tasks"), &condition).await;
        let tally = self.tally().await;
        assert_eq!(u64::try_from(tally.ended).unwrap(), n, "lost tasks: {tally:?}");
        assert_eq!((tally.added, tally.doubled), (tally.ended, 0), "doubled adds: {tally:?}");
        assert_eq!((tally.ended_wrong, tally.granted_twice), (0, 0), "doubled runs: {tally:?}");
        assert_eq!(tally.effects_wrong, 0, "effects without their end: {tally:?}");
        tally
    }

    /// A single number, such as how long something took.
    pub(crate) async fn number(&self, sql: &str) -> f64 {
        self.client().await.row(sql).await[0].parse().expect("a number")
    }

    /// The server's clock in seconds, which stamps all that was written down.
    pub(crate) async fn now(&self) -> f64 {
        self.number(client::NOW).await
    }
}
