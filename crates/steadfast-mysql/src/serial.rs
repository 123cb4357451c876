//! Serial keys: one task at a time comes forward, in order of adding.

use crate::columns::{hex, ids, list};
use crate::db::Db;
use crate::fault::Fallible;
use crate::note::Moved;
use crate::pool::Pool;
use crate::sql::{Sql, params};
use std::collections::BTreeSet;
use std::time::Duration;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::Released;
use steadfast_core::{Notes, Time};

const FIRST: Sql = Sql(include_str!("../sql/serial_first.sql"));
const MOVE: Sql = Sql(include_str!("../sql/serial_move.sql"));
const NEXT: Sql = Sql(include_str!("../sql/serial_next.sql"));

/// How often others may be faster before each key is released by itself.
const TRIES_MAX: usize = 3;

/// Lets the next task of each of these keys come forward.
pub(crate) async fn release(pool: &Pool, keys: &[String]) -> Fallible<Released> {
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect::<BTreeSet<_>>().into_iter().collect();
    if keys.is_empty() {
        return Ok(Released::default());
    }
    let mut notes = Notes::default();
    let mut due_in: Option<Duration> = None;
    for (task, now) in come_forward(pool, &keys).await? {
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
    if pool.setting.quiet.sight().is_some_and(|sight| !sight.held) {
        return Ok(Released::default());
    }
    let (mut keys, mut at) = (Vec::new(), after.unwrap_or_default().to_owned());
    while keys.len() <= n_max
        && let Some(row) = pool.read(&NEXT, params![at.as_str()]).await?.first()
    {
        row.text(0)?.clone_into(&mut at);
        keys.push(at.clone());
    }
    let more = keys.len() > n_max;
    keys.truncate(n_max);
    let after = keys.last().filter(|_| more).cloned();
    Ok(Released { after, ..release(pool, &keys).await? })
}

/// A second head is refused by the index: then somebody else was faster, and a fresh look shows the head.
async fn come_forward(pool: &Pool, keys: &[&str]) -> Fallible<Vec<(Moved, Time)>> {
    for _ in 0..TRIES_MAX {
        match once(pool, keys).await {
            Err(fault) if fault.is_duplicate_of("task", "task_head") => {}
            other => return other,
        }
    }
    let mut forward = Vec::new();
    for key in keys {
        match once(pool, &[key]).await {
            Ok(moved) => forward.extend(moved),
            Err(fault) if fault.is_duplicate_of("task", "task_head") => {}
            Err(fault) => return Err(fault),
        }
    }
    Ok(forward)
}

async fn once(pool: &Pool, keys: &[&str]) -> Fallible<Vec<(Moved, Time)>> {
    let mut tx = pool.begin().await?;
    let moved = move_first(&mut tx.db(), keys).await;
    tx.end(moved).await
}

async fn move_first(db: &mut Db<'_>, keys: &[&str]) -> Fallible<Vec<(Moved, Time)>> {
    let given = list(keys, |key| hex(key).into());
    // In order of the keys, as all who release go: the index of heads is locked along with the rows.
    let moved = Moved::read_all(&db.query(&FIRST, params![given]).await?)?;
    if !moved.is_empty() {
        let now = db.now.micros();
        db.execute(&MOVE, params![ids(moved.iter().map(|task| task.id)), now, now, now]).await?;
    }
    abort::pass(Point::ReleaseSent);
    let now = db.now;
    Ok(moved.into_iter().map(|task| (task, now)).collect())
}
