//! Reading for people: one task, a page of tasks, how many there are.

use crate::columns::rows;
use crate::fault::Fallible;
use crate::pool::Pool;
use crate::row::{self, Names};
use crate::sql::{Params, Sql};
use steadfast_core::limit::PAGE_MAX;
use steadfast_core::seam::{Count, Page};
use steadfast_core::{Bucket, Cursor, Filter, KeySpace, Kind, Payload, Scope, Status, Task, TaskId, Time};
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

const LIVE_WHOLE: Sql =
    Sql { name: "live_whole", text: include_str!("../sql/live_whole.sql"), types: &[Type::UUID] };
const WHOLE: Sql = Sql { name: "whole", text: include_str!("../sql/whole.sql"), types: &[Type::UUID] };

/// The cursor, the number of rows, what a filter asks, and the thing to look tasks up by.
const FIND: &[Type; 16] = &[
    Type::UUID,
    Type::INT8,
    Type::INT2,
    Type::TEXT,
    Type::TEXT,
    Type::INT2,
    Type::TEXT,
    Type::TEXT,
    Type::TEXT,
    Type::TEXT,
    Type::UUID,
    Type::UUID,
    Type::INT8,
    Type::INT8,
    Type::INT2,
    Type::TEXT,
];
const FIND_LIVE: Sql =
    Sql { name: "find_live", text: include_str!("../sql/find_live.sql"), types: FIND.split_at(14).0 };
const FIND_LIVE_ERROR: Sql = Sql {
    name: "find_live_error",
    text: include_str!("../sql/find_live_error.sql"),
    types: FIND.split_at(14).0,
};
const FIND_LIVE_SEARCH: Sql =
    Sql { name: "find_live_search", text: include_str!("../sql/find_live_search.sql"), types: FIND };
const FIND_HISTORY: Sql =
    Sql { name: "find_history", text: include_str!("../sql/find_history.sql"), types: FIND.split_at(14).0 };
const FIND_HISTORY_SEARCH: Sql =
    Sql { name: "find_history_search", text: include_str!("../sql/find_history_search.sql"), types: FIND };
const COUNT_LIVE: Sql = Sql {
    name: "count_live",
    text: include_str!("../sql/count_live.sql"),
    types: FIND.split_at(14).0.split_at(2).1,
};
const COUNT_HISTORY: Sql = Sql {
    name: "count_history",
    text: include_str!("../sql/count_history.sql"),
    types: FIND.split_at(14).0.split_at(2).1,
};

/// Counting reads all rows: here a walk over the table is the best that can be done.
const WALK: &str = "enable_seqscan = on";

/// One task with its payload, living or in the history.
pub(crate) async fn get(pool: &Pool, id: TaskId) -> Fallible<Option<Task>> {
    Ok(row::read_all(&pool.read(&WHOLE, &[&id.uuid()]).await?)?.pop())
}

/// The payload of a living task.
pub(crate) async fn payload(pool: &Pool, id: TaskId) -> Fallible<Option<Payload>> {
    let task = row::read_all(&pool.read(&LIVE_WHOLE, &[&id.uuid()]).await?)?.pop();
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
    let (below, limit) = (after.map(|cursor| cursor.0.uuid()), rows(n_max + 1));
    let (asked, rarest) = (Asked::new(filter), rarest(filter));
    let mut params: Vec<&(dyn ToSql + Sync)> = vec![&below, &limit];
    params.extend(asked.params());
    let sql = match (filter.scope, &rarest) {
        (Scope::Live, None) if filter.status == Some(Status::Error) => &FIND_LIVE_ERROR,
        (Scope::Live, None) => &FIND_LIVE,
        (Scope::Live, Some(_)) => &FIND_LIVE_SEARCH,
        (Scope::History, None) => &FIND_HISTORY,
        (Scope::History, Some(_)) => &FIND_HISTORY_SEARCH,
    };
    if let Some((what, term)) = &rarest {
        params.extend([what as &(dyn ToSql + Sync), term]);
    }
    let mut tasks = row::read_all(&pool.read(sql, &params).await?)?;
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
    let asked = Asked::new(filter);
    let params: Params<'_> = &asked.params();
    let mut names = Names::default();
    let mut tx = pool.begin().await?.with(WALK);
    let result = tx.query(sql, params).await;
    let rows = tx.end(result).await?;
    let read = |row: &tokio_postgres::Row| {
        let n: i64 = row.try_get(2)?;
        let status = row::status(row.try_get(1)?)?;
        Ok(Count { kind: names.kind(row.try_get(0)?)?, status, n: n.unsigned_abs() })
    };
    rows.iter().map(read).collect()
}

/// What a filter asks, in the order in which all statements name it.
struct Asked<'a> {
    status: Option<i16>,
    bucket: Option<&'a str>,
    kind: Option<&'a str>,
    key_space: Option<i16>,
    key: Option<&'a str>,
    serial: Option<&'a str>,
    search1: Option<&'a str>,
    search2: Option<&'a str>,
    worker: Option<Uuid>,
    parent: Option<Uuid>,
    since: Option<i64>,
    until: Option<i64>,
}

impl<'a> Asked<'a> {
    fn new(filter: &'a Filter) -> Self {
        Self {
            status: filter.status.map(|status| status.code().into()),
            bucket: filter.bucket.as_ref().map(Bucket::as_str),
            kind: filter.kind.as_ref().map(Kind::as_str),
            key_space: filter.key.as_ref().map(|key| key.space.code().into()),
            key: filter.key.as_ref().map(|key| key.name.as_str()),
            serial: filter.serial.as_deref(),
            search1: filter.search1.as_deref(),
            search2: filter.search2.as_deref(),
            worker: filter.worker.map(|worker| worker.uuid()),
            parent: filter.parent.map(|parent| parent.uuid()),
            since: filter.since.map(Time::micros),
            until: filter.until.map(Time::micros),
        }
    }

    fn params(&self) -> [&(dyn ToSql + Sync); 12] {
        [
            &self.status,
            &self.bucket,
            &self.kind,
            &self.key_space,
            &self.key,
            &self.serial,
            &self.search1,
            &self.search2,
            &self.worker,
            &self.parent,
            &self.since,
            &self.until,
        ]
    }
}

/// The rarest thing that a filter names, if it names any: what it is, and its value.
fn rarest(filter: &Filter) -> Option<(i16, String)> {
    let key = filter.key.as_ref().map(|key| match key.space {
        KeySpace::Id => (5, key.name.clone()),
        KeySpace::Key => (6, key.name.clone()),
    });
    key.or_else(|| filter.search1.clone().map(|text| (1, text)))
        .or_else(|| filter.search2.clone().map(|text| (2, text)))
        .or_else(|| filter.parent.map(|parent| (3, parent.to_string())))
        .or_else(|| filter.serial.clone().map(|text| (4, text)))
}
