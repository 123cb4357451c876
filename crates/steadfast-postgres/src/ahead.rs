//! Word of a lone add, sent right behind it.
//!
//! A ring that waits for the answer to the add is late by the way to this process and back. This one stands in the
//! same message, as a transaction of its own: the server turns to it the moment the add is committed. If the add
//! fails, the word was wrong, as any hint may be.
//!
//! One is under way at a time. Meanwhile, and whenever others wait, words gather with the [`Ringer`] as always.

use crate::connection::Connection;
use crate::db::{Db, Setting};
use crate::fault::{Fallible, Fault, told};
use crate::hints::Ringer;
use crate::pool::{Loan, Pool};
use crate::sql::{Params, Sql};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use steadfast_core::{Bucket, Hint, Kind, NewTask, Time, When};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

pub(crate) const RING_BEHIND: Sql = Sql {
    name: "ring_behind",
    text: include_str!("../sql/ring_behind.sql"),
    types: &[Type::INT8, Type::TEXT, Type::TEXT, Type::TEXT],
};

/// What a [`Ringer`] knows of words that did not go through it.
#[derive(Default)]
pub(crate) struct Ahead {
    under_way: AtomicBool,
    /// The task that was told of last. The engine rings for it when it has its answer: that ring is spared.
    told: Mutex<Option<(Bucket, Kind, Time)>>,
}

/// A word of one task. Dropped, it makes way for the next one.
pub(crate) struct Word {
    ringer: Arc<Ringer>,
    channel: String,
    /// What stands before and behind the time.
    halves: (String, String),
}

impl Ahead {
    /// Whether others know of it. A second one like it is another one.
    pub(crate) fn has_told(&self, hint: &Hint) -> bool {
        let Hint::Ready { bucket, kind, ready_at, n: 1, .. } = hint else { return false };
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.take_if(|told| (&told.0, &told.1, &told.2) == (bucket, kind, ready_at)).is_some()
    }

    /// Others know of a task that became ready at that time.
    pub(crate) fn tell(&self, new: &NewTask, ready_at: Time) {
        let task = (new.bucket.clone(), new.kind.clone(), ready_at);
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
    }
}

impl Word {
    /// The word of a task that is ready as soon as it is added, unless others wait to be rung or nobody listens.
    pub(crate) fn of(ringer: &Arc<Ringer>, pool: &Pool, new: &NewTask) -> Option<Self> {
        // Behind a pooler nothing stands right behind anything.
        if pool.pooled || new.when != When::Now || !ringer.is_idle() || !ringer.audience.may_be_there() {
            return None;
        }
        if ringer.ahead.under_way.swap(true, Ordering::Relaxed) {
            return None;
        }
        let halves = ringer.halves(&new.bucket, &new.kind, new.priority, 1, 0);
        Some(Self { ringer: ringer.clone(), channel: pool.setting.schema.channel(), halves })
    }

    /// Runs one statement that is a whole transaction, with the word right behind it. Nobody waits for the word.
    pub(crate) async fn behind(self, loan: Loan, sql: &Sql, params: Params<'_>) -> Fallible<Vec<Row>> {
        // What is prepared on the way would come between the two.
        for sql in [sql, &RING_BEHIND] {
            loan.db().prepared(sql).await?;
        }
        let mut word = Box::pin(self.ring(loan.pool.setting.clone(), loan.connection.clone()));
        let mut rung = false;
        let result = {
            let db = loan.db();
            let mut first = pin!(db.run(sql, params));
            loop {
                tokio::select! {
                    biased;
                    result = &mut first => break result,
                    () = &mut word, if !rung => rung = true,
                }
            }
        };
        if result.is_ok() && !rung {
            loan.back_after(word);
        } else {
            loan.back_unless_broken(result.as_ref().err());
        }
        result.map_err(Fault::Commit)
    }

    async fn ring(self, setting: Setting, connection: Arc<Connection>) {
        let (head, tail) = &self.halves;
        let given: Params<'_> = &[&setting.now(), &self.channel, head, tail];
        if let Err(error) = Db::of(&setting, &connection).run(&RING_BEHIND, given).await {
            tracing::warn!(error = told(&error), "a hint was not rung");
        }
    }
}

impl Drop for Word {
    fn drop(&mut self) {
        self.ringer.ahead.under_way.store(false, Ordering::Relaxed);
    }
}
