//! One task that is added alone, as in a service that is not busy.
//!
//! The statement for batches takes a dozen arrays apart and is prepared to write what a task is looked up by. For one
//! plain task that costs more than the row itself: its executor takes 0.2 ms to get ready, this one's a third.

use crate::add::{Born, Come, Coming};
use crate::ahead::Word;
use crate::batch::{at, wait};
use crate::columns::micros;
use crate::db::Db;
use crate::fault::{Fallible, Fault};
use crate::hints::Ringer;
use crate::pool::Pool;
use crate::sql::{Params, Sql};
use crate::{row, settle};
use std::sync::Arc;
use steadfast_core::{NewTask, Receipt, Time, WorkerId};
use tokio_postgres::types::Type;

pub(crate) const ADD_ALONE: Sql = Sql {
    name: "add_alone",
    text: include_str!("../sql/add_alone.sql"),
    types: &[
        Type::INT8,
        Type::UUID,
        Type::UUID,
        Type::INT8,
        Type::UUID,
        Type::TEXT,
        Type::TEXT,
        Type::TEXT,
        Type::TEXT,
        Type::INT2,
        Type::INT8,
        Type::INT8,
        Type::INT8,
        Type::TEXT,
        Type::INT8,
        Type::BYTEA,
    ],
};

const ADD_IN: Sql = Sql {
    name: "add_in",
    text: include_str!("../sql/add_in.sql"),
    types: &[
        Type::INT8,
        Type::UUID,
        Type::TEXT,
        Type::TEXT,
        Type::TEXT,
        Type::TEXT,
        Type::INT2,
        Type::INT8,
        Type::INT8,
        Type::TEXT,
        Type::INT8,
        Type::BYTEA,
    ],
};

/// The one task of a batch, if it has nothing to be looked up by.
pub(crate) fn alone<'a, 'b>(coming: &'b [Coming<'a>]) -> Option<&'b Coming<'a>> {
    let [one] = coming else { return None };
    Some(one).filter(|one| one.is_bare())
}

/// Adds it, and lets others know if it is ready for them.
pub(crate) async fn add_alone(
    pool: &Pool,
    ringer: &Arc<Ringer>,
    coming: &Coming<'_>,
    receipt: Receipt,
    worker: Option<WorkerId>,
) -> Fallible<Come> {
    let new = coming.new;
    let worker = worker.filter(|_| coming.deadline.is_some());
    let given: Params<'_> = &[
        &pool.now(),
        &receipt.uuid(),
        &worker.map(|worker| worker.uuid()),
        &coming.deadline.map(micros),
        &new.id.uuid(),
        &new.bucket.as_str(),
        &new.kind.as_str(),
        &new.subkind,
        &new.step,
        &i16::from(new.priority.get()),
        &at(new.when),
        &wait(new.when),
        // A birth is granted once.
        &i64::from(worker.is_some()),
        &row::context_json(&new.context),
        &new.payload.format.code(),
        &&*new.payload.bytes,
    ];
    let word = if worker.is_none() { Word::of(ringer, pool, new) } else { None };
    let rings = word.is_some();
    let rows = settle::remembering(pool, Some(receipt), |loan| async {
        match word {
            Some(word) => word.behind(loan, &ADD_ALONE, given).await,
            None => loan.run(&ADD_ALONE, given).await,
        }
    });
    let rows = rows.await?;
    let row = rows.first().ok_or_else(|| Fault::unreadable("add"))?;
    let now = Time::from_micros(row.try_get(1)?);
    if rings {
        ringer.ahead.tell(new, now);
    }
    let born = Born { seq: row.try_get(0)?, tid: row.try_get(2)? };
    Ok(Come { now, births: std::iter::once((new.id, born)).collect() })
}

/// Adds it inside a transaction that somebody else ends; says what time it is there.
pub(crate) async fn add_in_alone(db: &Db<'_>, new: &NewTask) -> Fallible<Time> {
    let given: Params<'_> = &[
        &db.now(),
        &new.id.uuid(),
        &new.bucket.as_str(),
        &new.kind.as_str(),
        &new.subkind,
        &new.step,
        &i16::from(new.priority.get()),
        &at(new.when),
        &wait(new.when),
        &row::context_json(&new.context),
        &new.payload.format.code(),
        &&*new.payload.bytes,
    ];
    let rows = db.query(&ADD_IN, given).await?;
    let row = rows.first().ok_or_else(|| Fault::unreadable("add"))?;
    Ok(Time::from_micros(row.try_get(0)?))
}
