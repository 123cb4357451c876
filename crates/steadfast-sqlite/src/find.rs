//! Reading for people: a page of tasks, how many there are.

use crate::db::Db;
use crate::fault::{Fallible, Fault};
use crate::row::{self, Names, text};
use crate::search;
use rusqlite::{ToSql, params_from_iter};
use steadfast_core::limit::PAGE_MAX;
use steadfast_core::seam::{Count, Page};
use steadfast_core::{Cursor, Filter, Kind, Scope, Status, Task, Time};

const COUNT_LIVE: &str = include_str!("../sql/count_live.sql");
const COUNT_HISTORY: &str = include_str!("../sql/count_history.sql");

const FIND_LIVE: &str = include_str!("../sql/find_live.sql");
const FIND_LIVE_ERROR: &str = include_str!("../sql/find_live_error.sql");
const FIND_LIVE_SEARCH: &str = include_str!("../sql/find_live_search.sql");
const FIND_HISTORY: &str = include_str!("../sql/find_history.sql");
const FIND_HISTORY_SEARCH: &str = include_str!("../sql/find_history_search.sql");

/// Above every id: where the first page starts.
const TOP: [u8; 17] = [0xff; 17];

/// A page of tasks, newest first.
pub(crate) fn find(db: &Db<'_>, filter: &Filter, after: Option<Cursor>, n_max: usize) -> Fallible<Page> {
    let n_max = n_max.min(PAGE_MAX);
    let below = after.map_or(TOP.to_vec(), |cursor| cursor.0.uuid().into_bytes().to_vec());
    let limit = i64::try_from(n_max + 1).unwrap_or(i64::MAX);
    let mut params: Vec<Box<dyn ToSql + '_>> = vec![Box::new(below), Box::new(limit)];
    params.extend(conditions(filter));
    let rarest = search::rarest(filter);
    let sql = match (filter.scope, &rarest) {
        (Scope::Live, None) if filter.status == Some(Status::Error) => FIND_LIVE_ERROR,
        (Scope::Live, None) => FIND_LIVE,
        (Scope::Live, Some(_)) => FIND_LIVE_SEARCH,
        (Scope::History, None) => FIND_HISTORY,
        (Scope::History, Some(_)) => FIND_HISTORY_SEARCH,
    };
    if let Some((what, term)) = rarest {
        params.extend([Box::new(what) as Box<dyn ToSql + '_>, Box::new(term)]);
    }
    let mut names = Names::default();
    let mut tasks: Vec<Task> =
        db.all(sql, params_from_iter(params), |found| Ok(row::read(found, &mut names)?.task))?;
    let more = tasks.len() > n_max;
    tasks.truncate(n_max);
    let next = tasks.last().filter(|_| more).map(|task| Cursor(task.id));
    Ok(Page { tasks, next })
}

/// How many tasks there are, by kind and status.
pub(crate) fn count(db: &Db<'_>, filter: &Filter) -> Fallible<Vec<Count>> {
    let sql = match filter.scope {
        Scope::Live => COUNT_LIVE,
        Scope::History => COUNT_HISTORY,
    };
    let mut names = Names::default();
    db.all(sql, params_from_iter(conditions(filter)), |row| {
        let n: i64 = row.get(2)?;
        Ok(Count {
            kind: names.kind(text(row, 0)?)?,
            status: Status::from_code(row.get(1)?).ok_or_else(|| Fault::unreadable("status"))?,
            n: n.unsigned_abs(),
        })
    })
}

/// What a filter asks, in the order in which all statements name it.
fn conditions(filter: &Filter) -> [Box<dyn ToSql>; 12] {
    [
        Box::new(filter.status.map(Status::code)),
        Box::new(filter.bucket.as_ref().map(|bucket| bucket.as_str().to_owned())),
        Box::new(filter.kind.as_ref().map(|kind: &Kind| kind.as_str().to_owned())),
        Box::new(filter.key.as_ref().map(|key| search::what_key(key.space))),
        Box::new(filter.key.as_ref().map(|key| key.name.clone())),
        Box::new(filter.serial.clone()),
        Box::new(filter.search1.clone()),
        Box::new(filter.search2.clone()),
        Box::new(filter.worker.map(|worker| worker.uuid().into_bytes())),
        Box::new(filter.parent.map(|parent| parent.uuid().into_bytes())),
        Box::new(filter.since.map(Time::micros)),
        Box::new(filter.until.map(Time::micros)),
    ]
}
