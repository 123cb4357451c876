//! Asks a MariaDB server what happened.

use steadfast_mysql::mysql_async::prelude::Queryable;
use steadfast_mysql::mysql_async::{self, Conn, Opts, OptsBuilder, Row, Value};
use steadfast_mysql::{MySqlStore, Options};

pub(crate) use steadfast_mysql::MySqlStore as Store;

/// The database that is there from the start.
pub(crate) const HOME: &str = "mysql";
/// The largest payload: a server takes 16 MiB at once as it comes, and some of that is the rest of the statement.
pub(crate) const PAYLOAD_BYTES_MAX: usize = 16 * 1024 * 1024 - 128 * 1024;
/// What its store is called.
pub(crate) const STORE: &str = "mysql";
/// What makes a witness keep every state of a task.
pub(crate) const ROWS: &str = include_str!("rows.sql");
/// What makes a witness count how many run under a limit.
pub(crate) const CROWDS: &str = include_str!("crowds.sql");
/// What makes a witness of a database.
pub(crate) const WITNESS: &str = include_str!("witness.sql");
/// How callers' own transactions get into each other's way.
pub(crate) const FIGHTS: &str = "repeatable read, in two orders";
/// The server's clock in seconds.
pub(crate) const NOW: &str = "select unix_timestamp(sysdate(6))";

const A_SESSION: &str = "
    select id
    from information_schema.processlist
    where user = 'steadfast'
    order by rand()
    limit 1";
/// A session may have ended by itself in the meantime.
const NO_SUCH_SESSION: u16 = 1094;

/// A store without workers around it.
pub(crate) async fn store(url: &str) -> MySqlStore {
    MySqlStore::open(url, Options::default()).await.expect("the store opens")
}

/// A connection of the trial's own.
pub(crate) struct Client(Conn);

impl Client {
    pub(crate) async fn open(address: &str, database: &str) -> Result<Self, mysql_async::Error> {
        let opts = Opts::from_url(&format!("mysql://witness@{address}/{database}"))?;
        Ok(Self(Conn::new(OptsBuilder::from_opts(opts).prefer_socket(false)).await?))
    }

    pub(crate) async fn run(&mut self, sql: &str) {
        self.0.query_drop(sql).await.expect("it is done");
    }

    pub(crate) async fn create_database(&mut self, name: &str) {
        self.run(&format!("create database {name}")).await;
    }

    /// Whether nobody sits in a transaction that began before this time.
    pub(crate) async fn none_open_since(&mut self, time: f64) -> bool {
        let open = format!(
            "select count(*) from information_schema.innodb_trx where trx_started < from_unixtime({time})"
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
        let Some(session) = self.column(A_SESSION).await.pop() else { return 0 };
        match self.0.query_drop(format!("kill {session}")).await {
            Ok(()) => 1,
            Err(mysql_async::Error::Server(error)) if error.code == NO_SUCH_SESSION => 0,
            Err(error) => panic!("a session was not ended: {error}"),
        }
    }

    /// The sum of the server's counters that are named like this.
    pub(crate) async fn counted(&mut self, name: &str) -> u64 {
        let rows = self.rows(&format!("show global status like '{name}'")).await;
        rows.iter().map(|row| row[1].parse::<u64>().expect("a count")).sum()
    }

    pub(crate) async fn rows(&mut self, sql: &str) -> Vec<Vec<String>> {
        let rows: Vec<Row> = self.0.query(sql).await.expect("an answer");
        rows.into_iter().map(|row| row.unwrap().iter().map(text).collect()).collect()
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::NULL => String::new(),
        Value::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        other => panic!("{other:?} is no text"),
    }
}
