//! Tasks of one kind without limits of the cluster, as a service takes most of its tasks.
//!
//! The statement for many demands takes arrays apart, counts what runs under limits, and leads each row through both. For
//! one demand that is work for nothing, be it for one task or for a thousand.

use crate::columns::{micros, rows};
use crate::mark::Mark;
use crate::sql::Sql;
use std::time::Duration;
use steadfast_core::seam::Grab;
use steadfast_core::{Demand, Lane};
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

pub(crate) const GRAB_ALIKE: Sql = Sql {
    name: "grab_alike",
    text: include_str!("../sql/grab_alike.sql"),
    types: &[
        Type::INT8,
        Type::UUID,
        Type::TEXT,
        Type::TEXT,
        Type::INT2,
        Type::BOOL,
        Type::BOOL,
        Type::INT8,
        Type::INT8,
        Type::INT8,
        Type::INT8,
    ],
};

/// What such a grab is given.
pub(crate) struct Alike<'a> {
    now: Option<i64>,
    worker: Uuid,
    bucket: &'a str,
    kind: &'a str,
    priority: i16,
    suspect: bool,
    durable: bool,
    deadline: i64,
    mark: Mark,
    rows: i64,
}

impl<'a> Alike<'a> {
    /// Of a grab that has one demand, under no limit of the cluster.
    pub(crate) fn new(
        now: Option<i64>,
        grab: &'a Grab,
        demands: &'a [(Demand, Duration)],
        marks: &[Mark],
    ) -> Option<Self> {
        let ([(demand, deadline)], [mark], None) = (demands, marks, &grab.under) else { return None };
        Some(Self {
            now,
            worker: grab.worker.uuid(),
            bucket: grab.bucket.as_str(),
            kind: demand.kind.as_str(),
            priority: demand.priority.get().into(),
            suspect: demand.lane == Lane::Suspect,
            durable: grab.durable,
            deadline: micros(*deadline),
            mark: *mark,
            rows: rows(demand.n),
        })
    }

    pub(crate) fn params(&self) -> [&(dyn ToSql + Sync); 11] {
        [
            &self.now,
            &self.worker,
            &self.bucket,
            &self.kind,
            &self.priority,
            &self.suspect,
            &self.durable,
            &self.deadline,
            &self.mark.at,
            &self.mark.seq,
            &self.rows,
        ]
    }
}
