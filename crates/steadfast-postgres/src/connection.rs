//! One connection with what it remembers.

use crate::address::Address;
use crate::driver::Drive;
use crate::fault::Fallible;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tokio::runtime::Id;
use tokio_postgres::{Client, Statement};

/// What the server is told in every session or transaction of ours. Plans are made once, on tables that may be
/// empty at that moment: whatever could be chosen for an empty table and be slow on a large one is switched off.
/// What is left is nested loops over our indexes.
///
/// The last two are not the planner's: a worker that stands still inside a transaction does not keep its locks, and
/// those who wait for them wait for less long than it may keep them. Between our statements lie microseconds; whoever takes
/// two seconds was stopped or cut off. If several are, each of which waits for the one before, all but the first have given
/// up when that one is ended, and nobody has to sit out one after the other.
const SETTINGS: [&str; 8] = [
    "plan_cache_mode = force_generic_plan",
    "enable_seqscan = off",
    "enable_hashjoin = off",
    "enable_mergejoin = off",
    "enable_bitmapscan = off",
    "jit = off",
    "lock_timeout = '1s'",
    "idle_in_transaction_session_timeout = '2s'",
];

/// Beside these, what only makes sense for a session of our own.
const SESSION: [&str; 1] = ["default_transaction_isolation = 'read committed'"];

const BACKEND: &str = include_str!("../sql/setup/backend.sql");

/// A connection of ours.
pub(crate) struct Connection {
    pub(crate) client: Client,
    /// Statements that this session has prepared, by name; none where no session is kept.
    pub(crate) prepared: Option<Mutex<HashMap<&'static str, Statement>>>,
    /// Which session of the server this is; none behind a pooler.
    pub(crate) backend: Option<Backend>,
    /// The runtime that drives it; none if it is the store's own thread, which serves everybody.
    pub(crate) home: Option<Id>,
}

/// A session of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Backend {
    pub(crate) pid: i32,
    /// When it started, since the number is given again.
    pub(crate) started_at: i64,
}

impl Connection {
    /// Connects. Without a pooler the session is made ready for our statements.
    pub(crate) async fn open(driver: &Drive, address: &Address, pooled: bool) -> Fallible<Self> {
        let (client, home) = driver.connect(address).await?;
        if pooled {
            return Ok(Self { client, prepared: None, backend: None, home });
        }
        let settings: String =
            SETTINGS.iter().chain(&SESSION).flat_map(|setting| ["set ", *setting, ";"]).collect();
        let (set, backend) = tokio::join!(client.batch_execute(&settings), client.query_typed(BACKEND, &[]));
        set?;
        let backend = backend?.first().map(|row| Backend { pid: row.get(0), started_at: row.get(1) });
        Ok(Self { client, prepared: Some(Mutex::default()), backend, home })
    }

    /// A statement that this session prepared before.
    pub(crate) fn remembered(&self, name: &str) -> Option<Statement> {
        let prepared = self.prepared.as_ref()?;
        prepared.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(crate) fn remember(&self, name: &'static str, statement: &Statement) {
        if let Some(prepared) = &self.prepared {
            prepared.lock().unwrap_or_else(PoisonError::into_inner).insert(name, statement.clone());
        }
    }
}

/// How a transaction begins: with our settings where no session keeps them.
pub(crate) fn begin(pooled: bool) -> String {
    let begin = "begin isolation level read committed";
    if pooled { format!("{begin}; {}", settings()) } else { begin.to_owned() }
}

/// Our settings for the rest of a transaction.
pub(crate) fn settings() -> String {
    SETTINGS.map(|setting| format!("set local {setting}")).join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_a_pooler_each_transaction_brings_its_settings() {
        let begin = begin(true);
        for setting in SETTINGS {
            assert!(begin.contains(&format!("; set local {setting}")), "{begin}");
        }
    }
}
