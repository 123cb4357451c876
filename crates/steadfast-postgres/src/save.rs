//! Where runs stand.

use crate::columns::{column, micros, rounds};
use crate::fault::Fallible;
use crate::pool::Pool;
use crate::sql::Sql;
use std::collections::HashMap;
use steadfast_core::Version;
use steadfast_core::seam::{Save, Saved};
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

const SAVE: Sql = Sql {
    name: "save",
    text: include_str!("../sql/save.sql"),
    types: &[
        Type::INT8,
        Type::UUID_ARRAY,
        Type::INT8_ARRAY,
        Type::UUID_ARRAY,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
        Type::INT8_ARRAY,
        Type::BOOL_ARRAY,
        Type::INT8_ARRAY,
        Type::BYTEA_ARRAY,
    ],
};

/// Writes down where runs stand, each if its fence still holds.
pub(crate) async fn save(pool: &Pool, saves: &[Save]) -> Fallible<Vec<Saved>> {
    let mut answers = vec![Saved::Lost; saves.len()];
    let rounds = rounds(saves, |save| save.fence.task);
    if let [round] = rounds.as_slice() {
        let lot = Lot::new(pool.now(), saves, round);
        lot.answer(&pool.run(&SAVE, &lot.params()).await?, &mut answers)?;
        return Ok(answers);
    }
    let mut tx = pool.begin().await?;
    let result = async {
        for round in &rounds {
            let lot = Lot::new(tx.now(), saves, round);
            lot.answer(&tx.query(&SAVE, &lot.params()).await?, &mut answers)?;
        }
        Ok(())
    }
    .await;
    tx.end(result).await?;
    Ok(answers)
}

/// Saves in order of their tasks.
struct Lot<'a> {
    now: Option<i64>,
    /// Where they stand in the batch.
    places: HashMap<Uuid, usize>,
    ids: Vec<Uuid>,
    grants: Vec<i64>,
    workers: Vec<Uuid>,
    steps: Vec<Option<&'a str>>,
    progresses: Vec<Option<&'a str>>,
    deadlines: Vec<Option<i64>>,
    progressed: Vec<bool>,
    formats: Vec<Option<i64>>,
    payloads: Vec<Option<&'a [u8]>>,
}

impl<'a> Lot<'a> {
    fn new(now: Option<i64>, saves: &'a [Save], places: &[usize]) -> Self {
        let lot: Vec<&Save> = places.iter().map(|at| &saves[*at]).collect();
        Self {
            now,
            places: lot.iter().map(|save| save.fence.task.uuid()).zip(places.iter().copied()).collect(),
            ids: column(&lot, |save| save.fence.task.uuid()),
            grants: column(&lot, |save| save.fence.grant.get()),
            workers: column(&lot, |save| save.fence.worker.uuid()),
            steps: column(&lot, |save| save.step.as_deref()),
            progresses: column(&lot, |save| save.progress.as_deref()),
            deadlines: column(&lot, |save| save.deadline.map(micros)),
            progressed: column(&lot, |save| save.progressed),
            formats: column(&lot, |save| save.payload.as_ref().map(|payload| payload.format.code())),
            payloads: column(&lot, |save| save.payload.as_ref().map(|payload| &*payload.bytes)),
        }
    }

    fn params(&self) -> [&(dyn ToSql + Sync); 10] {
        [
            &self.now,
            &self.ids,
            &self.grants,
            &self.workers,
            &self.steps,
            &self.progresses,
            &self.deadlines,
            &self.progressed,
            &self.formats,
            &self.payloads,
        ]
    }

    fn answer(&self, rows: &[Row], answers: &mut [Saved]) -> Fallible<()> {
        for row in rows {
            if let Some(at) = self.places.get(&row.try_get(0)?) {
                answers[*at] = Saved::Kept(Version::from_i64(row.try_get(1)?));
            }
        }
        Ok(())
    }
}
