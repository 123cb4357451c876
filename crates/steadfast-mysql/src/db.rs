//! Running statements on one connection, ours or a caller's.

use crate::cells::Cells;
use crate::fault::{Fallible, Fault};
use crate::prefix::Prefix;
use crate::quiet::Quiet;
use crate::sql::{Params, Sql, lots};
use crate::watch::Own;
use crate::wire::Wire;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use steadfast_core::{Clock, Payload, Refusal, Time};

/// What all statements of a store share.
#[derive(Clone)]
pub(crate) struct Setting {
    pub(crate) prefix: Prefix,
    /// In the place of the server's; only tests have one.
    pub(crate) clock: Option<Arc<dyn Clock>>,
    /// The largest payload that fits into what the server takes.
    pub(crate) payload_bytes_max: usize,
    /// How far apart the numbers of rows are that one statement adds.
    pub(crate) seq_step: i64,
    /// Calls that were sent again, since others were in their way.
    pub(crate) again: Arc<AtomicU64>,
    /// What this process knows without asking.
    pub(crate) own: Own,
    /// What sweeps need not ask.
    pub(crate) quiet: Quiet,
}

/// A connection to run statements on.
pub(crate) struct Db<'a> {
    pub(crate) setting: &'a Setting,
    pub(crate) wire: &'a mut (dyn Wire + 'a),
    /// What time it was when the transaction began.
    pub(crate) now: Time,
}

impl Setting {
    /// The parameter of every statement that asks what time it is: none for the server's clock.
    pub(crate) fn now(&self) -> Option<i64> {
        self.clock.as_ref().map(|clock| clock.now().micros())
    }

    /// Refuses a payload that the server would not take.
    pub(crate) fn check_payload(&self, payload: &Payload) -> Result<(), Refusal> {
        let (bytes, bytes_max) = (payload.len(), self.payload_bytes_max);
        if bytes > bytes_max { Err(Refusal::Payload { bytes, bytes_max }) } else { Ok(()) }
    }

    /// Counts a call that is sent again.
    pub(crate) fn count_again(&self) {
        self.again.fetch_add(1, Ordering::Relaxed);
    }
}

impl Db<'_> {
    /// What a statement finds.
    pub(crate) async fn query(&mut self, sql: &Sql, params: Params) -> Fallible<Vec<Cells>> {
        let text = self.setting.prefix.fill(sql.of_rows(1));
        Ok(self.wire.query(&text, params).await?)
    }

    /// Runs a statement; says how many rows it found.
    pub(crate) async fn execute(&mut self, sql: &Sql, params: Params) -> Fallible<u64> {
        let text = self.setting.prefix.fill(sql.of_rows(1));
        self.wire.execute(&text, params).await?;
        Ok(self.wire.affected_rows())
    }

    /// Runs a statement that takes many rows, followed by what it takes once. Says the number of each row, if the server
    /// gave them numbers.
    pub(crate) async fn insert(&mut self, sql: &Sql, rows: &[Params], once: &Params) -> Fallible<Vec<i64>> {
        let mut seqs = Vec::with_capacity(rows.len());
        for lot in lots(rows) {
            let text = self.setting.prefix.fill(sql.of_rows(lot.len()));
            let params: Params = lot.iter().flatten().chain(once).cloned().collect();
            self.wire.execute(&text, params).await?;
            let first = self.wire.last_insert_id().unwrap_or_default();
            let first = i64::try_from(first).map_err(|_| Fault::unreadable("seq"))?;
            seqs.extend((first..).step_by(step(self.setting.seq_step)).take(lot.len()));
        }
        Ok(seqs)
    }
}

fn step(seq_step: i64) -> usize {
    usize::try_from(seq_step).unwrap_or(1).max(1)
}
