//! The columns of tasks on their way in.

use crate::add::Coming;
use crate::columns::{column, micros};
use crate::row;
use crate::sql::Sql;
use steadfast_core::{Receipt, When, WorkerId};
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

pub(crate) const ADD: Sql = Sql {
    name: "add",
    text: include_str!("../sql/add.sql"),
    types: &[
        Type::INT8,
        Type::UUID,
        Type::UUID,
        Type::UUID_ARRAY,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
        Type::INT2_ARRAY,
        Type::INT8_ARRAY,
        Type::INT8_ARRAY,
        Type::INT8_ARRAY,
        Type::INT2_ARRAY,
        Type::TEXT_ARRAY,
        Type::INT8_ARRAY,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
        Type::UUID_ARRAY,
        Type::TEXT_ARRAY,
        Type::INT8_ARRAY,
        Type::BYTEA_ARRAY,
    ],
};

pub(crate) const ADD_BARE: Sql = Sql {
    name: "add_bare",
    text: include_str!("../sql/add_bare.sql"),
    types: &[
        Type::INT8,
        Type::UUID,
        Type::UUID,
        Type::UUID_ARRAY,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
        Type::INT2_ARRAY,
        Type::INT8_ARRAY,
        Type::INT8_ARRAY,
        Type::INT8_ARRAY,
        Type::INT8_ARRAY,
        Type::BYTEA_ARRAY,
    ],
};

/// What every task has.
pub(crate) struct Bare<'a> {
    now: Option<i64>,
    receipt: Option<Uuid>,
    /// Who bears the births.
    worker: Option<Uuid>,
    ids: Vec<Uuid>,
    buckets: Vec<&'a str>,
    kinds: Vec<&'a str>,
    priorities: Vec<i16>,
    ats: Vec<Option<i64>>,
    waits: Vec<i64>,
    deadlines: Vec<Option<i64>>,
    formats: Vec<i64>,
    payloads: Vec<&'a [u8]>,
}

/// All that a task may have.
pub(crate) struct Batch<'a> {
    bare: Bare<'a>,
    subkinds: Vec<Option<&'a str>>,
    steps: Vec<Option<&'a str>>,
    key_spaces: Vec<Option<i16>>,
    keys: Vec<Option<&'a str>>,
    key_windows: Vec<Option<i64>>,
    serials: Vec<Option<&'a str>>,
    search1s: Vec<Option<&'a str>>,
    search2s: Vec<Option<&'a str>>,
    parents: Vec<Option<Uuid>>,
    contexts: Vec<Option<String>>,
}

impl<'a> Bare<'a> {
    pub(crate) fn new(
        now: Option<i64>,
        receipt: Option<Receipt>,
        worker: Option<WorkerId>,
        coming: &[Coming<'a>],
    ) -> Self {
        Self {
            now,
            receipt: receipt.map(|receipt| receipt.uuid()),
            worker: worker.map(|worker| worker.uuid()),
            ids: column(coming, |task| task.new.id.uuid()),
            buckets: column(coming, |task| task.new.bucket.as_str()),
            kinds: column(coming, |task| task.new.kind.as_str()),
            priorities: column(coming, |task| task.new.priority.get().into()),
            ats: column(coming, |task| at(task.new.when)),
            waits: column(coming, |task| wait(task.new.when)),
            deadlines: column(coming, |task| task.deadline.map(micros)),
            formats: column(coming, |task| task.new.payload.format.code()),
            payloads: column(coming, |task| &*task.new.payload.bytes),
        }
    }

    pub(crate) fn params(&self) -> [&(dyn ToSql + Sync); 12] {
        [
            &self.now,
            &self.receipt,
            &self.worker,
            &self.ids,
            &self.buckets,
            &self.kinds,
            &self.priorities,
            &self.ats,
            &self.waits,
            &self.deadlines,
            &self.formats,
            &self.payloads,
        ]
    }
}

impl<'a> Batch<'a> {
    pub(crate) fn new(bare: Bare<'a>, coming: &[Coming<'a>]) -> Self {
        Self {
            bare,
            subkinds: column(coming, |task| task.new.subkind.as_deref()),
            steps: column(coming, |task| task.new.step.as_deref()),
            key_spaces: column(coming, |task| task.new.key.as_ref().map(|key| key.space.code().into())),
            keys: column(coming, |task| task.new.key.as_ref().map(|key| key.name.as_str())),
            key_windows: column(coming, |task| task.new.key.as_ref().map(|_| micros(task.new.key_window))),
            serials: column(coming, |task| task.new.serial.as_deref()),
            search1s: column(coming, |task| task.new.search1.as_deref()),
            search2s: column(coming, |task| task.new.search2.as_deref()),
            parents: column(coming, |task| task.new.parent.map(|parent| parent.uuid())),
            contexts: column(coming, |task| row::context_json(&task.new.context)),
        }
    }

    pub(crate) fn params(&self) -> [&(dyn ToSql + Sync); 22] {
        let bare = &self.bare;
        [
            &bare.now,
            &bare.receipt,
            &bare.worker,
            &bare.ids,
            &bare.buckets,
            &bare.kinds,
            &self.subkinds,
            &self.steps,
            &bare.priorities,
            &bare.ats,
            &bare.waits,
            &bare.deadlines,
            &self.key_spaces,
            &self.keys,
            &self.key_windows,
            &self.serials,
            &self.search1s,
            &self.search2s,
            &self.parents,
            &self.contexts,
            &bare.formats,
            &bare.payloads,
        ]
    }
}

pub(crate) fn at(when: When) -> Option<i64> {
    match when {
        When::At(time) => Some(time.micros()),
        When::Now | When::After(_) => None,
    }
}

pub(crate) fn wait(when: When) -> i64 {
    match when {
        When::After(wait) => micros(wait),
        When::Now | When::At(_) => 0,
    }
}
