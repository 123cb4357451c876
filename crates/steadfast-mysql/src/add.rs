//! Adding tasks: the receipt, the keys, the tasks, what they are looked up by.

use crate::columns::{id, micros};
use crate::db::Db;
use crate::fault::Fallible;
use crate::pool::Pool;
use crate::sql::{Params, Sql};
use crate::transaction::Tx;
use crate::{key, repeat, row, search, settle};
use mysql_async::Value;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::{Add, Added, Adds};
use steadfast_core::{Key, NewTask, Task, TaskId, Time};

const ADD: Sql = Sql(include_str!("../sql/add.sql"));

/// Adds a batch, or refuses all of it.
pub(crate) async fn add(pool: &Pool, add: &Add) -> Fallible<Adds> {
    let mut tx = pool.begin().await?;
    let session = tx.session();
    let result = all(&mut tx, add).await;
    let result = tx.end(result).await;
    settle::remember(pool, add.receipt, session, result.as_ref().err());
    result
}

/// Adds tasks in the order given, inside a transaction that somebody else ends.
pub(crate) async fn add_in(db: &mut Db<'_>, tasks: &[NewTask]) -> Fallible<Vec<Added>> {
    let holders = take_keys(db, tasks).await?;
    let fresh = tasks.iter().zip(&holders).filter(|(_, holder)| holder.is_none());
    let (mut coming, windows): (Vec<Task>, Vec<Option<i64>>) =
        fresh.map(|(new, _)| (Task::added(new.clone(), 0, db.now), window(new))).unzip();
    insert(db, &mut coming, &windows).await?;
    let mut added = answers(tasks, &holders, db.now);
    repeat::replace(db, tasks, &mut added).await?;
    Ok(added)
}

async fn all(tx: &mut Tx, add: &Add) -> Fallible<Adds> {
    let db = &mut tx.db();
    if let Some(receipt) = add.receipt {
        settle::write(db, receipt, true).await?;
    }
    let added = add_in(db, &add.tasks).await?;
    let mut born = Vec::new();
    if let Some(birth) = &add.births {
        for (new, deadline) in &birth.tasks {
            let mut task = Task::added(new.clone(), 0, db.now);
            task.granted(birth.worker, *deadline, db.now);
            born.push(task);
        }
        let windows: Vec<_> = birth.tasks.iter().map(|(new, _)| window(new)).collect();
        insert(db, &mut born, &windows).await?;
    }
    abort::pass(Point::AddSent);
    Ok(Adds { now: db.now, added, born })
}

/// Writes tasks down and learns their numbers.
async fn insert(db: &mut Db<'_>, tasks: &mut [Task], windows: &[Option<i64>]) -> Fallible<()> {
    let rows = tasks.iter().zip(windows).map(|(task, window)| columns(db, task, *window));
    let rows: Vec<Params> = rows.collect::<Fallible<_>>()?;
    let seqs = db.insert(&ADD, &rows, &Params::new()).await?;
    db.setting.own.adds(&seqs);
    for (task, seq) in tasks.iter_mut().zip(seqs) {
        task.seq = seq;
    }
    search::add(db, tasks).await
}

/// Who has the keys of tasks; none for a task that is fresh.
async fn take_keys(db: &mut Db<'_>, tasks: &[NewTask]) -> Fallible<Vec<Option<TaskId>>> {
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

fn answers(tasks: &[NewTask], holders: &[Option<TaskId>], now: Time) -> Vec<Added> {
    let answer = |(new, holder): (&NewTask, &Option<TaskId>)| {
        // Status and time follow from the core's own rule; the payload has no part in it.
        let task =
            Task::added(NewTask { payload: steadfast_core::Payload::default(), ..new.clone() }, 0, now);
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

/// How long a task's key outlives it; none without a key.
fn window(new: &NewTask) -> Option<i64> {
    new.key.as_ref().map(|_| micros(new.key_window))
}

/// A task's columns in the order of the statement.
fn columns(db: &Db<'_>, task: &Task, window: Option<i64>) -> Fallible<Params> {
    let payload = task.payload.clone().unwrap_or_default();
    db.setting.check_payload(&payload)?;
    let text = |text: &Option<String>| Value::from(text.as_deref());
    Ok(vec![
        id(task.id.uuid()),
        task.bucket.as_str().into(),
        task.kind.as_str().into(),
        text(&task.subkind),
        text(&task.step),
        task.status.code().into(),
        task.priority.get().into(),
        task.due_at.micros().into(),
        task.ready_at.micros().into(),
        task.base_at.micros().into(),
        task.deadline_at.map(Time::micros).into(),
        task.grant.get().into(),
        task.worker.map_or(Value::NULL, |worker| id(worker.uuid())),
        task.version.get().into(),
        task.attempt.into(),
        task.failures.into(),
        task.lost.into(),
        task.key.as_ref().map(|key| key.space.code()).into(),
        task.key.as_ref().map(|key| key.name.as_str()).into(),
        window.into(),
        text(&task.serial),
        text(&task.search1),
        text(&task.search2),
        task.parent.map_or(Value::NULL, |parent| id(parent.uuid())),
        row::context_json(&task.context).into(),
        text(&task.progress),
        text(&task.output),
        task.errors.to_json().into(),
        task.created_at.micros().into(),
        task.changed_at.micros().into(),
        payload.format.code().into(),
        i64::try_from(payload.len()).unwrap_or(i64::MAX).into(),
        payload.bytes.to_vec().into(),
    ])
}
