//! Reading ahead: what is ready, without taking it.

use crate::columns::{column, rows};
use crate::fault::Fallible;
use crate::note::{Notes, lane};
use crate::pool::Pool;
use crate::row::{self, Names};
use crate::sql::Sql;
use std::collections::HashSet;
use std::time::Duration;
use steadfast_core::seam::{BEHIND_KINDS_MAX, BUCKETS_MAX, Behind, Look, Looked};
use steadfast_core::{Bucket, Kind, KindRange, Time};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

const LOOK: Sql =
    Sql { name: "look", text: include_str!("../sql/look.sql"), types: &[Type::INT8, Type::TEXT, Type::INT8] };
const KINDS: Sql = Sql {
    name: "look_kinds",
    text: include_str!("../sql/look_kinds.sql"),
    types: &[Type::INT8, Type::TEXT, Type::TEXT_ARRAY, Type::INT8],
};
const OWN: Sql = Sql {
    name: "look_own",
    text: include_str!("../sql/look_own.sql"),
    types: &[Type::TEXT, Type::TEXT_ARRAY, Type::TEXT_ARRAY, Type::INT8],
};
const BUCKETS: Sql = Sql { name: "buckets", text: include_str!("../sql/buckets.sql"), types: &[Type::INT8] };

/// Most ranges that one statement looks into, one seek each.
const RANGES_MAX: usize = 256;

/// What is ready in a bucket, in the claim's order.
pub(crate) async fn look(pool: &Pool, look: &Look) -> Fallible<Looked> {
    let n_max = rows(look.n_max.saturating_add(1));
    let found = pool.read(&LOOK, &[&pool.now(), &look.bucket.as_str(), &n_max]).await?;
    let seen = found.len().saturating_sub(1);
    let (notes, due_in) = read(&look.bucket, &found, look.n_max)?;
    Ok(Looked { notes: notes.of_one(), more: seen > look.n_max, after: None, due_in })
}

/// The buckets in which anything is ready.
pub(crate) async fn buckets(pool: &Pool) -> Fallible<Vec<Bucket>> {
    let found = pool.read(&BUCKETS, &[&rows(BUCKETS_MAX)]).await?;
    found.iter().map(|row| Ok(Bucket::new(row.try_get::<_, &str>(0)?)?)).collect()
}

/// What is ready of the worker's own kinds, and where the round goes on.
pub(crate) async fn look_behind(pool: &Pool, behind: &Behind) -> Fallible<Looked> {
    let mut kinds = own_kinds(pool, behind).await?;
    let more = kinds.len() > BEHIND_KINDS_MAX;
    kinds.truncate(BEHIND_KINDS_MAX);
    let after = kinds.last().filter(|_| more).cloned();
    let skip: HashSet<&Kind> = behind.skip.iter().collect();
    let open: Vec<&str> = kinds.iter().filter(|kind| !skip.contains(kind)).map(Kind::as_str).collect();
    let each = rows((behind.n_max / open.len().max(1)).max(1));
    let found = pool.read(&KINDS, &[&pool.now(), &behind.bucket.as_str(), &open, &each]).await?;
    let (notes, due_in) = read(&behind.bucket, &found, usize::MAX)?;
    Ok(Looked { notes: notes.of_one(), more: true, after, due_in })
}

/// The next kinds of the worker that have anything ready, one more than a look may visit.
async fn own_kinds(pool: &Pool, behind: &Behind) -> Fallible<Vec<Kind>> {
    // No kind holds a control character, so nothing lies between a kind and the name with this one behind it.
    let from = behind.after.as_ref().map_or_else(String::new, |kind| format!("{kind}\u{1}"));
    let left: Vec<&KindRange> = behind.ranges.iter().filter(|range| *range.to > *from).collect();
    let mut kinds: Vec<Kind> = Vec::new();
    for ranges in left.chunks(RANGES_MAX) {
        if kinds.len() > BEHIND_KINDS_MAX {
            break;
        }
        let n = rows(BEHIND_KINDS_MAX + 1 - kinds.len());
        let first = column(ranges, |range| range.from.as_str().max(&from));
        // Ranges end before NUL, which PostgreSQL does not have.
        let until = column(ranges, |range| range.to.replace('\0', "\u{1}"));
        let found = pool.read(&OWN, &[&behind.bucket.as_str(), &first, &until, &n]).await?;
        for row in &found {
            kinds.push(Kind::new(row.try_get::<_, &str>(0)?)?);
        }
    }
    Ok(kinds)
}

/// Up to `n_max` tasks, and how long until the next waiting one is due: the last row says.
fn read(bucket: &Bucket, found: &[Row], n_max: usize) -> Fallible<(Notes, Option<Duration>)> {
    let (mut notes, mut names) = (Notes::default(), Names::default());
    let Some((tail, ready)) = found.split_last() else { return Ok((notes, None)) };
    for row in ready.iter().take(n_max) {
        let kind = names.kind(row.try_get(0)?)?;
        let ready_at = Time::from_micros(row.try_get(2)?);
        notes.add(bucket.clone(), kind, row::priority(row.try_get(1)?)?, ready_at, lane(row.try_get(3)?));
    }
    Ok((notes, due_in(tail, 4)?))
}

/// How long until the next waiting task is due, from the columns now and `next_at`.
pub(crate) fn due_in(row: &Row, at: usize) -> Fallible<Option<Duration>> {
    let now = Time::from_micros(row.try_get(at)?);
    let next_at: Option<i64> = row.try_get(at + 1)?;
    Ok(next_at.map(|next_at| Time::from_micros(next_at).since(now)))
}
