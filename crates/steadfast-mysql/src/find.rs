//! Reading for people: one task, a page of tasks, how many there are.

use crate::cells::Cells;
use crate::columns::{id, rows};
use crate::fault::Fallible;
use crate::pool::Pool;
use crate::row::{self, Names};
use crate::search;
use crate::sql::{Params, Sql, params};
use mysql_async::Value;
use steadfast_core::limit::PAGE_MAX;
use steadfast_core::seam::{Count, Page};
use steadfast_core::{Bucket, Cursor, Filter, Kind, Payload, Scope, Status, Task, TaskId, Time};
use uuid::Uuid;

const LIVE_WHOLE: Sql = Sql(include_str!("../sql/live_whole.sql"));
const ENDED_WHOLE: Sql = Sql(include_str!("../sql/ended_whole.sql"));
const FIND_LIVE: Sql = Sql(include_str!("../sql/find_live.sql"));
const FIND_LIVE_ERROR: Sql = Sql(include_str!("../sql/find_live_error.sql"));
const FIND_LIVE_SEARCH: Sql = Sql(include_str!("../sql/find_live_search.sql"));
const FIND_HISTORY: Sql = Sql(include_str!("../sql/find_history.sql"));
const FIND_HISTORY_SEARCH: Sql = Sql(include_str!("../sql/find_history_search.sql"));
const COUNT_LIVE: Sql = Sql(include_str!("../sql/count_live.sql"));
const COUNT_HISTORY: Sql = Sql(include_str!("../sql/count_history.sql"));

/// How often a task may change sides while it is looked for.
const TRIES_MAX: usize = 3;

/// One task with its payload, living or in the history.
pub(crate) async fn get(pool: &Pool, task: TaskId) -> Fallible<Option<Task>> {
    for _ in 0..TRIES_MAX {
        for sql in [&LIVE_WHOLE, &ENDED_WHOLE] {
            let rows = pool.read(sql, params![id(task.uuid())]).await?;
            if let Some(task) = row::read_all(&rows)?.pop() {
                return Ok(Some(task));
            }
        }
    }
    Ok(None)
}

/// The payload of a living task.
pub(crate) async fn payload(pool: &Pool, task: TaskId) -> Fallible<Option<Payload>> {
    let task = row::read_all(&pool.read(&LIVE_WHOLE, params![id(task.uuid())]).await?)?.pop();
    Ok(task.and_then(|task| task.payload))
}

/// A page of tasks, newest first.
pub(crate) async fn find(
    pool: &Pool,
    filter: &Filter,
    after: Option<Cursor>,
    n_max: usize,
) -> Fallible<Page> {
    let n_max = n_max.min(PAGE_MAX);
    let rarest = search::rarest(filter);
    let sql = match (filter.scope, &rarest) {
        (Scope::Live, None) if filter.status == Some(Status::Error) => &FIND_LIVE_ERROR,
        (Scope::Live, None) => &FIND_LIVE,
        (Scope::Live, Some(_)) => &FIND_LIVE_SEARCH,
        (Scope::History, None) => &FIND_HISTORY,
        (Scope::History, Some(_)) => &FIND_HISTORY_SEARCH,
    };
    let mut given = Params::new();
    if let Some((what, term)) = rarest {
        given.extend(params![what, term]);
    }
    given.push(id(after.map_or(Uuid::max(), |cursor| cursor.0.uuid())));
    given.extend(asked(filter));
    given.push(rows(n_max + 1).into());
    let mut tasks = row::read_all(&pool.read(sql, given).await?)?;
    let more = tasks.len() > n_max;
    tasks.truncate(n_max);
    let next = tasks.last().filter(|_| more).map(|task| Cursor(task.id));
    Ok(Page { tasks, next })
}

/// How many tasks there are, by kind and status.
pub(crate) async fn count(pool: &Pool, filter: &Filter) -> Fallible<Vec<Count>> {
    let sql = match filter.scope {
        Scope::Live => &COUNT_LIVE,
        Scope::History => &COUNT_HISTORY,
    };
    let mut names = Names::default();
    let read = |row: &Cells| {
        let (status, n) = (row::status(row.int(1)?)?, row.int(2)?.unsigned_abs());
        Ok(Count { kind: names.kind(row.text(0)?)?, status, n })
    };
    pool.read(sql, asked(filter)).await?.iter().map(read).collect()
}

/// What a filter asks, in the order in which all statements name it, each twice: whether it is asked, and what.
fn asked(filter: &Filter) -> Params {
    let asked: [Value; 12] = [
        filter.status.map(Status::code).into(),
        filter.bucket.as_ref().map(Bucket::as_str).into(),
        filter.kind.as_ref().map(Kind::as_str).into(),
        filter.key.as_ref().map(|key| key.space.code()).into(),
        filter.key.as_ref().map(|key| key.name.as_str()).into(),
        filter.serial.as_deref().into(),
        filter.search1.as_deref().into(),
        filter.search2.as_deref().into(),
        filter.worker.map_or(Value::NULL, |worker| id(worker.uuid())),
        filter.parent.map_or(Value::NULL, |parent| id(parent.uuid())),
        filter.since.map(Time::micros).into(),
        filter.until.map(Time::micros).into(),
    ];
    asked.into_iter().flat_map(|value| [value.clone(), value]).collect()
}
