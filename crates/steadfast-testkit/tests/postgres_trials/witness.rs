//! What really happened, as the database saw it.

use std::time::{Duration, Instant};
use steadfast_postgres::tokio_postgres::{Client, NoTls, connect};
use steadfast_postgres::{Options, PgStore};

/// How long anything may take. The bound is for broken code; nothing depends on it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(20);

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
    pub(crate) attempt_max: i32,
    /// Tasks whose effects are not there exactly once for their one end.
    pub(crate) effects_wrong: i64,
}

/// A database whose tasks are watched.
pub(crate) struct Witness {
    url: String,
}

impl Witness {
    /// Makes the tables, as the first worker would, and begins to watch.
    pub(crate) async fn new(url: String) -> Self {
        drop(PgStore::open(&url, Options::default()).await.expect("a store"));
        let witness = Self { url };
        witness.client().await.batch_execute(include_str!("witness.sql")).await.expect("the trigger is made");
        witness
    }

    /// Of a database that another one was copied from.
    pub(crate) fn of_copy(url: String) -> Self {
        Self { url }
    }

    /// A connection of its own; the server may have been crashed a moment ago.
    pub(crate) async fn client(&self) -> Client {
        let began = Instant::now();
        loop {
            match connect(&self.url, NoTls).await {
                Ok((client, connection)) => {
                    tokio::spawn(connection);
                    return client;
                }
                Err(error) => assert!(began.elapsed() < PATIENCE, "no connection: {error}"),
            }
            tokio::time::sleep(POLL).await;
        }
    }

    pub(crate) async fn tally(&self) -> Tally {
        let row = self.client().await.query_one(include_str!("tally.sql"), &[]).await.expect("a tally");
        Tally {
            added: row.get(0),
            ended: row.get(1),
            alive: row.get(2),
            grabs: row.get(3),
            reaps: row.get(4),
            backs: row.get(5),
            doubled: row.get(6),
            ended_wrong: row.get(7),
            granted_twice: row.get(8),
            attempt_max: row.get(9),
            effects_wrong: row.get(10),
        }
    }

    /// Waits for a statement to say true.
    pub(crate) async fn wait(&self, what: &str, sql: &str) {
        let (began, client) = (Instant::now(), self.client().await);
        while !client.query_one(sql, &[]).await.expect("an answer").get::<_, bool>(0) {
            assert!(began.elapsed() < PATIENCE, "{what} did not happen: {:?}", self.tally().await);
            tokio::time::sleep(POLL).await;
        }
    }

    /// Waits until so many tasks came to an end and none is left, and checks what must always hold.
    pub(crate) async fn all_ended(&self, n: u64) -> Tally {
        let sql = format!(
            "select not exists (select 1 from steadfast.task) \
             and (select count(*) from trial.event where what = 'end') >= {n}"
        );
        self.wait(&format!("the end of {n} tasks"), &sql).await;
        let tally = self.tally().await;
        assert_eq!(u64::try_from(tally.ended).unwrap(), n, "lost tasks: {tally:?}");
        assert_eq!((tally.added, tally.doubled), (tally.ended, 0), "doubled adds: {tally:?}");
        assert_eq!((tally.ended_wrong, tally.granted_twice), (0, 0), "doubled runs: {tally:?}");
        assert_eq!(tally.effects_wrong, 0, "effects without their end: {tally:?}");
        tally
    }

    /// A single number, such as how long something took.
    pub(crate) async fn number(&self, sql: &str) -> f64 {
        self.client().await.query_one(sql, &[]).await.expect("a number").get(0)
    }

    /// The server's clock in seconds, which stamps all that was written down.
    pub(crate) async fn now(&self) -> f64 {
        self.number("select extract(epoch from clock_timestamp())::double precision").await
    }
}
