//! Serial keys: one task at a time comes forward, in order of adding.

use crate::columns::rows;
use crate::fault::Fallible;
use crate::note::Moved;
use crate::pool::Pool;
use crate::row::Names;
use crate::sql::Sql;
use std::collections::BTreeSet;
use std::time::Duration;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::Released;
use steadfast_core::{Notes, Time};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

const RELEASE: Sql =
    Sql { name: "release", text: include_str!("../sql/release.sql"), types: &[Type::INT8, Type::TEXT_ARRAY] };
const KEYS: Sql = Sql {
    name: "serial_keys",
    text: include_str!("../sql/serial_keys.sql"),
    types: &[Type::TEXT, Type::INT8],
};

/// The index that lets only one head exist.
const HEAD: &str = "task_head";
/// How often others may be faster before each key is released by itself.
const TRIES_MAX: usize = 3;

/// Lets the next task of each of these keys come forward.
pub(crate) async fn release(pool: &Pool, keys: &[String]) -> Fallible<Released> {
    abort::pass(Point::ReleaseSent);
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect::<BTreeSet<_>>().into_iter().collect();
    if keys.is_empty() {
        return Ok(Released::default());
    }
    let (mut notes, mut names) = (Notes::default(), Names::default());
    let mut due_in: Option<Duration> = None;
    for row in &come_forward(pool, &keys).await? {
        let task = Moved::read(row, 0, &mut names)?;
        let now = Time::from_micros(row.try_get(5)?);
        if task.due_at > now {
            let wait = task.due_at.since(now);
            due_in = Some(due_in.map_or(wait, |least| least.min(wait)));
        } else {
            notes.add(&task.bucket, task.kind, task.priority, now, task.lane);
        }
    }
    Ok(Released { notes: notes.by_bucket(), due_in, after: None })
}

/// The same for the next keys of the sweep.
pub(crate) async fn release_slice(pool: &Pool, after: Option<&str>, n_max: usize) -> Fallible<Released> {
    let found = pool.read(&KEYS, &[&after.unwrap_or_default(), &rows(n_max.saturating_add(1))]).await?;
    let mut keys: Vec<String> = found.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    let more = keys.len() > n_max;
    keys.truncate(n_max);
    let after = keys.last().filter(|_| more).cloned();
    Ok(Released { after, ..release(pool, &keys).await? })
}

/// A second head is refused by the index: then somebody else was faster, and a fresh look shows the head.
async fn come_forward(pool: &Pool, keys: &[&str]) -> Fallible<Vec<Row>> {
    for _ in 0..TRIES_MAX {
        match pool.run(&RELEASE, &[&pool.now(), &keys]).await {
            Err(fault) if fault.is_duplicate_of(HEAD) => {}
            other => return other,
        }
    }
    let mut forward = Vec::new();
    for key in keys {
        match pool.run(&RELEASE, &[&pool.now(), &vec![*key]]).await {
            Ok(rows) => forward.extend(rows),
            Err(fault) if fault.is_duplicate_of(HEAD) => {}
            Err(fault) => return Err(fault),
        }
    }
    Ok(forward)
}
