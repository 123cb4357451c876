//! Adding tasks.
//!
//! Without keys a batch is one statement: a leaner one if its tasks have little to be kept, a leaner one still if they are
//! alike, and the leanest if it is a single one. With keys it is a short transaction: the receipt, the keys, the tasks.

use crate::alike::Alike;
use crate::alone::{add_alone, add_in_alone, alone};
use crate::bare::is_bare;
use crate::batch::{ADD, ADD_BARE, Bare, Batch};
use crate::db::Db;
use crate::fault::{Fallible, Fault};
use crate::hints::Ringer;
use crate::place::{Place, Tid};
use crate::pool::Pool;
use crate::{key, repeat, settle};
use std::sync::Arc;
use std::time::Duration;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::{Add, Added, Adds};
use steadfast_core::{Fence, IdMap, Key, NewTask, Payload, Refusal, Task, TaskId, Time, WorkerId};

/// Adds a batch, or refuses all of it.
pub(crate) async fn add(pool: &Pool, ringer: &Arc<Ringer>, add: &Add) -> Fallible<Adds> {
    let births = add.births.iter().flat_map(|birth| &birth.tasks);
    let births: Vec<Coming<'_>> =
        births.map(|(new, deadline)| Coming { new, deadline: Some(*deadline) }).collect();
    let worker = add.births.as_ref().map(|birth| birth.worker);
    let keyed = add.tasks.iter().any(|new| new.key.is_some());
    let result = if keyed {
        // Boxed, since it is large: the other way, which is the common one, would carry the room for it.
        Box::pin(add_keyed(pool, add, births, worker)).await
    } else {
        add_plain(pool, ringer, add, births, worker).await
    };
    result.map_err(|fault| match add.receipt {
        Some(receipt) if fault.is_duplicate_of("receipt_pkey") => Refusal::Receipt(receipt.uuid()).into(),
        _ => fault,
    })
}

/// Adds tasks in the order given, inside a transaction that somebody else ends.
pub(crate) async fn add_in(db: &Db<'_>, tasks: &[NewTask]) -> Fallible<Vec<Added>> {
    if let [new] = tasks
        && (Coming { new, deadline: None }).is_bare()
    {
        return Ok(answers(tasks, &[None], add_in_alone(db, new).await?));
    }
    let holders = take_keys(db, tasks).await?;
    let fresh = fresh(tasks, &holders);
    let rows = db.query(&ADD, &Batch::new(Bare::new(db.now(), None, None, &fresh), &fresh).params()).await?;
    let mut added = answers(tasks, &holders, Coming::read(&rows)?.now);
    repeat::replace(db, tasks, &mut added).await?;
    Ok(added)
}

/// A task on its way in; with a deadline it is born running.
pub(crate) struct Coming<'a> {
    pub(crate) new: &'a NewTask,
    pub(crate) deadline: Option<Duration>,
}

/// What the statement says.
pub(crate) struct Come {
    pub(crate) now: Time,
    pub(crate) births: IdMap<Born>,
}

/// Where a birth stands in line, and where its row lies.
pub(crate) struct Born {
    pub(crate) seq: i64,
    pub(crate) tid: Tid,
}

async fn add_plain(
    pool: &Pool,
    ringer: &Arc<Ringer>,
    add: &Add,
    births: Vec<Coming<'_>>,
    worker: Option<WorkerId>,
) -> Fallible<Adds> {
    let coming: Vec<_> = add.tasks.iter().map(|new| Coming { new, deadline: None }).chain(births).collect();
    abort::pass(Point::AddSent);
    let come = if let (Some(coming), Some(receipt)) = (alone(&coming), add.receipt) {
        add_alone(pool, ringer, coming, receipt, worker).await?
    } else {
        let rows = settle::remembering(pool, add.receipt, |loan| async {
            let alike = |receipt| Alike::new(pool.now(), receipt, worker, &coming);
            if let Some(alike) = add.receipt.and_then(alike) {
                return loan.run(alike.sql(), &alike.params()).await;
            }
            let bare = Bare::new(pool.now(), add.receipt, worker, &coming);
            if add.receipt.is_some() && coming.iter().all(Coming::is_little) {
                loan.run(&ADD_BARE, &bare.params()).await
            } else {
                loan.run(&ADD, &Batch::new(bare, &coming).params()).await
            }
        });
        Coming::read(&rows.await?)?
    };
    adds(pool, add, &vec![None; add.tasks.len()], &come)
}

async fn add_keyed(
    pool: &Pool,
    add: &Add,
    births: Vec<Coming<'_>>,
    worker: Option<WorkerId>,
) -> Fallible<Adds> {
    let mut tx = pool.begin().await?;
    let backend = tx.loan().connection.backend;
    let result = async {
        if let Some(receipt) = add.receipt {
            settle::write(&mut tx, receipt, true).await?;
        }
        let db = tx.db().await?;
        let holders = take_keys(&db, &add.tasks).await?;
        let coming: Vec<_> = fresh(&add.tasks, &holders).into_iter().chain(births).collect();
        let bare = Bare::new(db.now(), None, worker, &coming);
        let rows = db.query(&ADD, &Batch::new(bare, &coming).params()).await?;
        let mut adds = adds(pool, add, &holders, &Coming::read(&rows)?)?;
        repeat::replace(&db, &add.tasks, &mut adds.added).await?;
        abort::pass(Point::AddSent);
        Ok(adds)
    }
    .await;
    let result = tx.end(result).await;
    settle::remember(pool, add.receipt, backend, result.as_ref().err());
    // Another add of the same key has not ended: its caller may take long, and others wait in this batch.
    result.map_err(Fault::waited_enough)
}

/// Who has the keys of tasks; none for a task that is fresh.
async fn take_keys(db: &Db<'_>, tasks: &[NewTask]) -> Fallible<Vec<Option<TaskId>>> {
    let keyed: Vec<(&Key, TaskId)> =
        tasks.iter().filter_map(|new| new.key.as_ref().map(|key| (key, new.id))).collect();
    let mut holders = key::take(db, &keyed).await?.into_iter();
    let holder = |new: &NewTask| {
        let holder = new.key.as_ref().and_then(|_| holders.next().flatten());
        new.check_first(holder)?;
        Ok(holder)
    };
    tasks.iter().map(holder).collect()
}

fn fresh<'a>(tasks: &'a [NewTask], holders: &[Option<TaskId>]) -> Vec<Coming<'a>> {
    let fresh = tasks.iter().zip(holders).filter(|(_, holder)| holder.is_none());
    fresh.map(|(new, _)| Coming { new, deadline: None }).collect()
}

fn adds(pool: &Pool, add: &Add, holders: &[Option<TaskId>], come: &Come) -> Fallible<Adds> {
    let births = add.births.iter().flat_map(|birth| birth.tasks.iter().map(|task| (birth.worker, task)));
    let n = come.births.len();
    let (mut born, mut found) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for (worker, (new, deadline)) in births {
        let Born { seq, tid } = come.births.get(&new.id).ok_or_else(|| Fault::unreadable("birth"))?;
        let mut task = Task::added(new.clone(), *seq, come.now);
        task.granted(worker, *deadline, come.now);
        let place = Place { tid: *tid, bare: Coming { new, deadline: None }.is_bare() };
        found.push((Fence { task: task.id, grant: task.grant, worker }, place));
        born.push(task);
    }
    pool.places.note(found);
    Ok(Adds { now: come.now, added: answers(&add.tasks, holders, come.now), born })
}

fn answers(tasks: &[NewTask], holders: &[Option<TaskId>], now: Time) -> Vec<Added> {
    let answer = |(new, holder): (&NewTask, &Option<TaskId>)| {
        // Status and time follow from the core's own rule; the payload has no part in it.
        let task = Task::added(NewTask { payload: Payload::default(), ..new.clone() }, 0, now);
        Added {
            id: holder.unwrap_or(new.id),
            fresh: holder.is_none(),
            replaced: false,
            status: task.status,
            due_at: task.due_at,
        }
    };
    tasks.iter().zip(holders).map(answer).collect()
}

impl Coming<'_> {
    pub(crate) fn is_bare(&self) -> bool {
        let NewTask { key, parent, serial, search1, search2, .. } = self.new;
        is_bare(key.as_ref(), *parent, [serial, search1, search2])
    }

    /// Whether nothing but its id and payload tells it from the other, if both are little.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let told = |one: &Self| (one.new.priority, one.new.when, one.deadline, one.new.payload.format);
        told(self) == told(other) && self.new.kind == other.new.kind && self.new.bucket == other.new.bucket
    }

    /// Whether there is nothing to keep of it but what every task has.
    pub(crate) fn is_little(&self) -> bool {
        let NewTask { subkind, step, context, .. } = self.new;
        self.is_bare() && subkind.is_none() && step.is_none() && context.is_empty()
    }

    fn read(rows: &[tokio_postgres::Row]) -> Fallible<Come> {
        let mut come = Come { now: Time::default(), births: IdMap::default() };
        for row in rows {
            if let Some(now) = row.try_get::<_, Option<i64>>(2)? {
                come.now = Time::from_micros(now);
            }
            if let Some(id) = row.try_get(0)? {
                let born = Born { seq: row.try_get(1)?, tid: row.try_get(3)? };
                come.births.insert(TaskId::from_uuid(id), born);
            }
        }
        Ok(come)
    }
}
