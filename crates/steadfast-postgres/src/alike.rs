//! Tasks that differ in nothing but their ids and payloads: callers who add at once mostly add the same.
//!
//! All of them are born running or none is, so each sort has a statement that says the rest once.

use crate::add::Coming;
use crate::batch::{at, wait};
use crate::columns::{column, micros};
use crate::sql::Sql;
use steadfast_core::{Receipt, When, WorkerId};
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

pub(crate) const ADD_ALIKE: Sql = Sql {
    name: "add_alike",
    text: include_str!("../sql/add_alike.sql"),
    types: &[
        Type::INT8,
        Type::UUID,
        Type::TEXT,
        Type::TEXT,
        Type::INT2,
        Type::INT8,
        Type::INT8,
        Type::INT8,
        Type::UUID_ARRAY,
        Type::BYTEA_ARRAY,
    ],
};

pub(crate) const BEAR_ALIKE: Sql = Sql {
    name: "bear_alike",
    text: include_str!("../sql/bear_alike.sql"),
    types: &[
        Type::INT8,
        Type::UUID,
        Type::TEXT,
        Type::TEXT,
        Type::INT2,
        Type::UUID,
        Type::INT8,
        Type::INT8,
        Type::UUID_ARRAY,
        Type::BYTEA_ARRAY,
    ],
};

/// A batch of them.
pub(crate) struct Alike<'a> {
    now: Option<i64>,
    receipt: Uuid,
    bucket: &'a str,
    kind: &'a str,
    priority: i16,
    fate: Fate,
    format: i64,
    ids: Vec<Uuid>,
    payloads: Vec<&'a [u8]>,
}

/// What becomes of all of them.
enum Fate {
    /// They are ready, now or at their time.
    Added { at: Option<i64>, wait: i64 },
    /// They run.
    Born { worker: Uuid, deadline: i64 },
}

impl<'a> Alike<'a> {
    /// None, if they are not alike, or something is to be kept of them but what every task has.
    pub(crate) fn new(
        now: Option<i64>,
        receipt: Receipt,
        worker: Option<WorkerId>,
        coming: &[Coming<'a>],
    ) -> Option<Self> {
        let first =
            coming.first().filter(|first| coming.iter().all(|one| one.is_little() && one.is_like(first)))?;
        let new = first.new;
        let fate = match (worker, first.deadline) {
            (Some(worker), Some(deadline)) if new.when == When::Now => {
                Fate::Born { worker: worker.uuid(), deadline: micros(deadline) }
            }
            (_, None) => Fate::Added { at: at(new.when), wait: wait(new.when) },
            _ => return None,
        };
        Some(Self {
            now,
            receipt: receipt.uuid(),
            bucket: new.bucket.as_str(),
            kind: new.kind.as_str(),
            priority: new.priority.get().into(),
            fate,
            format: new.payload.format.code(),
            ids: column(coming, |task| task.new.id.uuid()),
            payloads: column(coming, |task| &*task.new.payload.bytes),
        })
    }

    pub(crate) fn sql(&self) -> &'static Sql {
        match self.fate {
            Fate::Added { .. } => &ADD_ALIKE,
            Fate::Born { .. } => &BEAR_ALIKE,
        }
    }

    pub(crate) fn params(&self) -> [&(dyn ToSql + Sync); 10] {
        let (one, other): (&(dyn ToSql + Sync), &(dyn ToSql + Sync)) = match &self.fate {
            Fate::Added { at, wait } => (at, wait),
            Fate::Born { worker, deadline } => (worker, deadline),
        };
        [
            &self.now,
            &self.receipt,
            &self.bucket,
            &self.kind,
            &self.priority,
            one,
            other,
            &self.format,
            &self.ids,
            &self.payloads,
        ]
    }
}
