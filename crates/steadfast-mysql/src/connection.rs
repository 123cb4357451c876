//! One connection, on which nobody waits for an answer without end.
//!
//! A server whose host is gone, or a wire that swallows what it is given, never says so, and the driver would wait for
//! ever. Whoever hears nothing for too long takes the connection for broken, as if it had been cut: nobody knows whether
//! what was sent last was done.

use crate::cells::Cells;
use crate::driver::Drive;
use crate::fault::Silence;
use crate::sql::Params;
use crate::wire::{Answer, Wire};
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error};
use std::future::Future;
use std::io;
use std::time::Duration;

/// How long an answer may take. A statement of ours waits for locks for a second and looks at a bounded number of rows.
const ANSWER_MAX: Duration = Duration::from_secs(20);

/// A connection of ours. Dropped, it is closed.
pub(crate) struct Connection {
    /// None only while it is dropped.
    conn: Option<Conn>,
    drive: Drive,
    answer_max: Duration,
    /// How often the store had met silence when this was opened.
    silences: u64,
}

impl Connection {
    pub(crate) fn new(conn: Conn, drive: Drive) -> Self {
        let silences = drive.silences();
        Self { conn: Some(conn), drive, answer_max: ANSWER_MAX, silences }
    }

    /// The driver's connection, for statements that are not bounded here.
    pub(crate) fn conn(&mut self) -> &mut Conn {
        self.parts().0
    }

    pub(crate) fn into_conn(mut self) -> Option<Conn> {
        self.conn.take()
    }

    /// Which session of the server this is.
    pub(crate) fn id(&self) -> u32 {
        self.conn.as_ref().map_or(0, Conn::id)
    }

    /// Whether every answer on it was read to its end.
    pub(crate) fn is_whole(&self) -> bool {
        self.conn.as_ref().is_some_and(|conn| !conn.is_disconnected())
    }

    /// Waits so long for each answer from now on.
    pub(crate) fn wait_for(&mut self, answer_max: Duration) {
        self.answer_max = answer_max;
    }

    /// Whether the store has met no silence since it was opened. Otherwise it may lead to the same host that is gone.
    pub(crate) fn is_trusted(&self) -> bool {
        self.silences == self.drive.silences()
    }

    /// What the last of some statements finds that cannot be prepared.
    pub(crate) async fn ask(&mut self, text: &str) -> Result<Vec<Cells>, Error> {
        let (conn, answered) = self.parts();
        answered.within(all(conn, text)).await
    }

    /// Forgets what the session was told, and tells it this. Says whether it did.
    pub(crate) async fn reset(&mut self, session: &str) -> bool {
        let (conn, answered) = self.parts();
        matches!(answered.within(conn.reset()).await, Ok(true)) && self.say(session).await.is_ok()
    }

    #[expect(clippy::expect_used, reason = "it is there until the drop")]
    fn parts(&mut self) -> (&mut Conn, Answered<'_>) {
        let conn = self.conn.as_mut().expect("a connection that was not dropped");
        (conn, Answered { drive: &self.drive, max: self.answer_max })
    }
}

impl Wire for Connection {
    fn query<'a>(&'a mut self, text: &'a str, params: Params) -> Answer<'a, Vec<Cells>> {
        let (conn, answered) = self.parts();
        Box::pin(answered.within(conn.exec(text, params)))
    }

    fn execute<'a>(&'a mut self, text: &'a str, params: Params) -> Answer<'a, ()> {
        let (conn, answered) = self.parts();
        Box::pin(answered.within(conn.exec_drop(text, params)))
    }

    fn say<'a>(&'a mut self, text: &'a str) -> Answer<'a, ()> {
        let (conn, answered) = self.parts();
        Box::pin(answered.within(conn.query_drop(text)))
    }

    fn affected_rows(&self) -> u64 {
        self.conn.as_ref().map_or(0, Conn::affected_rows)
    }

    fn last_insert_id(&self) -> Option<u64> {
        self.conn.as_ref().and_then(Conn::last_insert_id)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(conn) = self.conn.take() {
            self.drive.close(conn);
        }
    }
}

/// How long an answer is waited for, and by whose clock.
struct Answered<'a> {
    drive: &'a Drive,
    max: Duration,
}

impl Answered<'_> {
    async fn within<T>(self, answer: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let Ok(answer) = self.drive.timeout(self.max, answer).await else {
            self.drive.met_silence();
            return Err(io::Error::new(io::ErrorKind::TimedOut, Silence(self.max)).into());
        };
        answer
    }
}

async fn all(conn: &mut Conn, text: &str) -> Result<Vec<Cells>, Error> {
    let mut answers = conn.query_iter(text).await?;
    let mut last = Vec::new();
    while !answers.is_empty() {
        last = answers.collect().await?;
    }
    Ok(last)
}
