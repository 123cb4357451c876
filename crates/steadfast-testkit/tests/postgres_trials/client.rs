//! Asks a PostgreSQL server what happened.

use crate::cluster;
use steadfast_postgres::tokio_postgres::{self, NoTls, SimpleQueryMessage};
use steadfast_postgres::{Options, PgStore};

pub(crate) use steadfast_postgres::PgStore as Store;

/// The database that is there from the start.
pub(crate) const HOME: &str = "postgres";
/// The largest payload: what the engine is told to let through.
pub(crate) const PAYLOAD_BYTES_MAX: usize = 16 * 1024 * 1024;
/// What its store is called.
pub(crate) const STORE: &str = "postgres";
/// What makes a witness keep every state of a task.
pub(crate) const ROWS: &str = include_str!("rows.sql");
/// What makes a witness count how many run under a limit.
pub(crate) const CROWDS: &str = include_str!("crowds.sql");
/// What makes a witness of a database.
pub(crate) const WITNESS: &str = include_str!("witness.sql");
/// How callers' own transactions get into each other's way.
pub(crate) const FIGHTS: &str = "serializable, in two orders";
/// The server's clock in seconds.
pub(crate) const NOW: &str = "select extract(epoch from clock_timestamp())";

const END_A_SESSION: &str = "
    select count(*)
    from (
        select pg_terminate_backend(pid)
        from pg_stat_activity
        where application_name = 'steadfast'
        order by random()
        limit 1
    ) as ended";

/// A store without workers around it.
pub(crate) async fn store(url: &str) -> PgStore {
    PgStore::open(url, Options::default()).await.expect("the store opens")
}

/// A connection of the trial's own.
pub(crate) struct Client(tokio_postgres::Client);

impl Client {
    pub(crate) async fn open(address: &str, database: &str) -> Result<Self, tokio_postgres::Error> {
        let (client, connection) = tokio_postgres::connect(&cluster::url(address, database), NoTls).await?;
        tokio::spawn(connection);
        Ok(Self(client))
    }

    pub(crate) async fn run(&mut self, sql: &str) {
        self.0.batch_execute(sql).await.expect("it is done");
    }

    pub(crate) async fn create_database(&mut self, name: &str) {
        self.run(&format!("create database {name}")).await;
    }

    /// Whether nobody sits in a transaction that began before this time.
    pub(crate) async fn none_open_since(&mut self, time: f64) -> bool {
        let open = format!(
            "select count(*)::text from pg_stat_activity \
             where state like 'idle in transaction%' and xact_start < to_timestamp({time})"
        );
        self.row(&open).await[0] == "0"
    }

    /// The first row as texts; nothing is an empty one.
    pub(crate) async fn row(&mut self, sql: &str) -> Vec<String> {
        self.rows(sql).await.into_iter().next().expect("a row")
    }

    /// The first column of all rows.
    pub(crate) async fn column(&mut self, sql: &str) -> Vec<String> {
        self.rows(sql).await.into_iter().map(|mut row| row.swap_remove(0)).collect()
    }

    /// Ends one of the workers' sessions, whichever; says how many it was.
    pub(crate) async fn end_a_session(&mut self) -> usize {
        self.row(END_A_SESSION).await[0].parse().expect("a count")
    }

    pub(crate) async fn rows(&mut self, sql: &str) -> Vec<Vec<String>> {
        let messages = self.0.simple_query(sql).await.expect("an answer");
        let texts = |message: &SimpleQueryMessage| match message {
            SimpleQueryMessage::Row(row) => {
                Some((0..row.len()).map(|at| row.get(at).unwrap_or_default().to_owned()).collect())
            }
            _ => None,
        };
        messages.iter().filter_map(texts).collect()
    }
}
