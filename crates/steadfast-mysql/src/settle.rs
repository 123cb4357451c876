//! Receipts: what became of a batch whose reply was lost.

use crate::columns::id;
use crate::db::Db;
use crate::fault::{Fallible, Fault};
use crate::pool::Pool;
use crate::sql::{Sql, params};
use crate::transaction::Tx;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::Settled;
use steadfast_core::{Receipt, Refusal};

const WRITE: Sql = Sql(include_str!("../sql/receipt.sql"));
const GET: Sql = Sql(include_str!("../sql/receipt_get.sql"));
const UPTIME: Sql = Sql(include_str!("../sql/uptime.sql"));
const END_SESSION: Sql = Sql(include_str!("../sql/end_session.sql"));

/// How often a settling waits for the batch before it ends the session that may still be at it.
const WAITS_MAX: usize = 2;
/// Most sessions that are remembered.
const SESSIONS_MAX: usize = 1000;

/// A session that took a batch whose reply was lost.
#[derive(Debug, Clone, Copy)]
struct Session {
    id: u32,
    /// When the reply was lost. The server gives the number again after a restart.
    lost_at: Instant,
}

/// The sessions that took batches whose replies were lost.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<BTreeMap<Receipt, Session>>);

/// Finds out whether a batch was committed; if not, its receipt is used up and it never can be.
pub(crate) async fn settle(pool: &Pool, receipt: Receipt) -> Fallible<Settled> {
    let mut waits = 0;
    loop {
        let result = once(pool, receipt).await;
        match &result {
            Err(fault) if fault.is_locked_out() && waits <= WAITS_MAX => waits += 1,
            Ok(_) => {
                pool.lost.forget(receipt);
                return result;
            }
            // It waited for long enough: the caller comes again later.
            Err(_) => return result.map_err(|fault| fault.sorted().into()),
        }
        if waits == WAITS_MAX
            && let Some(session) = pool.lost.of(receipt)
        {
            end_session(pool, session).await?;
        }
    }
}

/// Writes a batch's receipt as the first thing in its transaction.
pub(crate) async fn write(db: &mut Db<'_>, receipt: Receipt, committed: bool) -> Fallible<()> {
    let given = params![id(receipt.uuid()), db.now.micros(), u8::from(committed)];
    match db.execute(&WRITE, given).await {
        Err(fault) if fault.is_duplicate_of("receipt", "PRIMARY") => {
            Err(Refusal::Receipt(receipt.uuid()).into())
        }
        written => written.map(drop),
    }
}

/// Remembers the session of a batch if its reply was lost.
pub(crate) fn remember(pool: &Pool, receipt: Option<Receipt>, session: u32, fault: Option<&Fault>) {
    if let (Some(receipt), Some(Fault::Commit(_))) = (receipt, fault) {
        pool.lost.remember(receipt, Session { id: session, lost_at: Instant::now() });
    }
}

async fn once(pool: &Pool, receipt: Receipt) -> Fallible<Settled> {
    let mut tx = pool.begin().await?;
    let result = settle_in(&mut tx, receipt).await;
    tx.end(result).await
}

async fn settle_in(tx: &mut Tx, receipt: Receipt) -> Fallible<Settled> {
    let written = write(&mut tx.db(), receipt, false).await;
    abort::pass(Point::SettleSent);
    match written {
        Ok(()) => return Ok(Settled::Never),
        Err(Fault::Store(_)) => {}
        Err(fault) => return Err(fault),
    }
    let rows = tx.db().query(&GET, params![id(receipt.uuid())]).await?;
    let committed = rows.first().map(|row| row.flag(0)).transpose()?;
    Ok(if committed == Some(true) { Settled::Committed } else { Settled::Never })
}

/// Ends a session, unless the server was started since: then it is gone, and another one may have its number.
async fn end_session(pool: &Pool, session: Session) -> Fallible<()> {
    let up_s = match pool.read(&UPTIME, params![]).await?.first() {
        Some(row) => u64::try_from(row.int(1)?).unwrap_or(0),
        None => 0,
    };
    if up_s > session.lost_at.elapsed().as_secs() {
        tracing::warn!(session = session.id, "ending a session that still holds a lost batch");
        // One that is gone by now cannot be ended.
        let _ = pool.execute(&END_SESSION, params![session.id]).await;
    }
    Ok(())
}

impl Sessions {
    fn of(&self, receipt: Receipt) -> Option<Session> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&receipt).copied()
    }

    fn forget(&self, receipt: Receipt) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&receipt);
    }

    fn remember(&self, receipt: Receipt, session: Session) {
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.insert(receipt, session);
        while sessions.len() > SESSIONS_MAX {
            sessions.pop_first();
        }
    }
}
