//! Ends that leave nothing behind, of tasks that nothing else knows of: the row goes, and that is all.

use crate::columns::column;
use crate::fault::Fallible;
use crate::finish::accept;
use crate::place::{Place, Tid};
use crate::pool::Pool;
use crate::sql::{Params, Sql};
use steadfast_core::seam::{Finish, Finished};
use steadfast_core::{Key, Retention, TaskId, To};
use tokio_postgres::types::Type;
use uuid::Uuid;

pub(crate) const DONE_BARE: Sql = Sql {
    name: "done_bare",
    text: include_str!("../sql/done_bare.sql"),
    types: &[Type::INT8, Type::UUID, Type::TID_ARRAY, Type::UUID_ARRAY, Type::INT8_ARRAY],
};

/// Whether nothing outside its row knows of a task: it has no key, and nothing to look it up by.
pub(crate) fn is_bare(key: Option<&Key>, parent: Option<TaskId>, terms: [&Option<String>; 3]) -> bool {
    key.is_none() && parent.is_none() && terms.iter().all(|term| term.is_none())
}

/// Runs that end so, in order of their tasks.
pub(crate) struct Bare<'a> {
    /// Where they stand in the batch.
    places: &'a [usize],
    worker: Uuid,
    tids: Vec<Tid>,
    ids: Vec<Uuid>,
    grants: Vec<i64>,
}

impl<'a> Bare<'a> {
    /// These runs, if all of them end so, it is known where their rows lie, and one worker holds them, as is usual.
    pub(crate) fn of(finishes: &[Finish], places: &'a [usize], told: &[Option<Place>]) -> Option<Self> {
        let fences = column(places, |at| finishes[*at].fence);
        let worker = fences.first()?.worker;
        if fences.iter().any(|fence| fence.worker != worker) {
            return None;
        }
        let tids = places.iter().zip(told).map(|(at, place)| {
            let deletes = finishes[*at].change.to == To::Done(Retention::Delete);
            place.filter(|place| place.bare && deletes).map(|place| place.tid)
        });
        Some(Self {
            places,
            worker: worker.uuid(),
            tids: tids.collect::<Option<_>>()?,
            ids: column(&fences, |fence| fence.task.uuid()),
            grants: column(&fences, |fence| fence.grant.get()),
        })
    }

    /// Ends them. Only what the fenced statement says was accepted.
    pub(crate) async fn end(&self, pool: &Pool, answers: &mut [Finished]) -> Fallible<()> {
        let given: Params<'_> = &[&pool.now(), &self.worker, &self.tids, &self.ids, &self.grants];
        accept(&pool.run(&DONE_BARE, given).await?, self.places, answers)
    }
}
