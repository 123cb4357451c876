//! Receipts: what became of a batch whose reply was lost.

use crate::connection::Backend;
use crate::fault::{Fallible, Fault};
use crate::pool::{Loan, Pool};
use crate::sql::Sql;
use crate::transaction::Tx;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Mutex, PoisonError};
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::Settled;
use steadfast_core::{Receipt, Refusal};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

const WRITE: Sql = Sql {
    name: "receipt",
    text: include_str!("../sql/receipt.sql"),
    types: &[Type::INT8, Type::UUID, Type::BOOL],
};
const GET: Sql =
    Sql { name: "receipt_get", text: include_str!("../sql/receipt_get.sql"), types: &[Type::UUID] };
const END_SESSION: Sql = Sql {
    name: "end_session",
    text: include_str!("../sql/end_session.sql"),
    types: &[Type::INT4, Type::INT8],
};

/// How often a settling waits for the batch before it ends the session that may still be at it.
const WAITS_MAX: usize = 2;
/// Most sessions that are remembered.
const BACKENDS_MAX: usize = 1000;

/// The sessions that took batches whose replies were lost.
#[derive(Debug, Default)]
pub(crate) struct Backends(Mutex<BTreeMap<Receipt, Backend>>);

/// Finds out whether a batch was committed; if not, its receipt is used up and it never can be.
pub(crate) async fn settle(pool: &Pool, receipt: Receipt) -> Fallible<Settled> {
    let mut waits = 0;
    loop {
        let result = once(pool, receipt).await;
        match &result {
            Err(fault) if fault.is_locked_out() && waits < WAITS_MAX + 1 => waits += 1,
            Ok(_) => {
                pool.lost.forget(receipt);
                return result;
            }
            Err(_) => return result.map_err(Fault::waited_enough),
        }
        if waits == WAITS_MAX
            && let Some(backend) = pool.lost.of(receipt)
        {
            tracing::warn!(pid = backend.pid, "ending a session that still holds a lost batch");
            pool.read(&END_SESSION, &[&backend.pid, &backend.started_at]).await?;
        }
    }
}

/// Writes a batch's receipt as the first thing in its transaction.
pub(crate) async fn write(tx: &mut Tx, receipt: Receipt, committed: bool) -> Fallible<()> {
    let now = tx.now();
    let written = tx.query(&WRITE, &[&now, &receipt.uuid(), &committed]).await?;
    if written.is_empty() { Err(Refusal::Receipt(receipt.uuid()).into()) } else { Ok(()) }
}

/// Runs a batch that is one statement; if its reply is lost, its session is remembered.
pub(crate) async fn remembering<F>(
    pool: &Pool,
    receipt: Option<Receipt>,
    run: impl FnOnce(Loan) -> F,
) -> Fallible<Vec<Row>>
where
    F: Future<Output = Fallible<Vec<Row>>>,
{
    let loan = pool.take().await?;
    let backend = loan.connection.backend;
    let result = run(loan).await;
    remember(pool, receipt, backend, result.as_ref().err());
    result
}

/// Remembers the session of a batch if its reply was lost.
pub(crate) fn remember(
    pool: &Pool,
    receipt: Option<Receipt>,
    backend: Option<Backend>,
    fault: Option<&Fault>,
) {
    if let (Some(receipt), Some(backend), Some(Fault::Commit(_))) = (receipt, backend, fault) {
        pool.lost.remember(receipt, backend);
    }
}

async fn once(pool: &Pool, receipt: Receipt) -> Fallible<Settled> {
    let mut tx = pool.begin().await?;
    let result = async {
        let written = write(&mut tx, receipt, false).await;
        abort::pass(Point::SettleSent);
        match written {
            Ok(()) => return Ok(Settled::Never),
            Err(Fault::Store(_)) => {}
            Err(fault) => return Err(fault),
        }
        let rows = tx.query(&GET, &[&receipt.uuid()]).await?;
        let committed = rows.first().map(|row| row.try_get(0)).transpose()?;
        Ok(if committed == Some(true) { Settled::Committed } else { Settled::Never })
    }
    .await;
    tx.end(result).await
}

impl Backends {
    fn of(&self, receipt: Receipt) -> Option<Backend> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&receipt).copied()
    }

    fn forget(&self, receipt: Receipt) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&receipt);
    }

    fn remember(&self, receipt: Receipt, backend: Backend) {
        let mut backends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        backends.insert(receipt, backend);
        while backends.len() > BACKENDS_MAX {
            backends.pop_first();
        }
    }
}
