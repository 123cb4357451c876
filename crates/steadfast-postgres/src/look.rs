//! Reading ahead: what is ready, without taking it.

use crate::columns::{column, rows, unrows};
use crate::fault::Fallible;
use crate::note::lane;
use crate::pool::Pool;
use crate::row::{self, Names};
use crate::sql::{Params, Sql};
use std::time::Duration;
use steadfast_core::seam::{BEHIND_KINDS_MAX, BUCKETS_MAX, Behind, Look, Looked};
use steadfast_core::{Bucket, Kind, KindRange, Note, Notes, Time};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

const LOOK: Sql =
    Sql { name: "look", text: include_str!("../sql/look.sql"), types: &[Type::INT8, Type::TEXT, Type::INT8] };
const BEHIND: Sql = Sql {
    name: "look_behind",
    text: include_str!("../sql/look_behind.sql"),
    types: &[
        Type::INT8,
        Type::TEXT,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
        Type::INT8,
        Type::TEXT_ARRAY,
        Type::INT8,
    ],
};
const BUCKETS: Sql = Sql { name: "buckets", text: include_str!("../sql/buckets.sql"), types: &[Type::INT8] };

/// Most ranges that one statement looks into, one seek each.
const RANGES_MAX: usize = 256;

/// What is ready in a bucket, in the claim's order.
pub(crate) async fn look(pool: &Pool, look: &Look) -> Fallible<Looked> {
    let n_max = rows(look.n_max.saturating_add(1));
    let found = pool.read(&LOOK, &[&pool.now(), &look.bucket.as_str(), &n_max]).await?;
    let (notes, due_in) = read(&look.bucket, &found)?;
    let (notes, more) = notes.first_of_one(look.n_max);
    Ok(Looked { notes, more, after: None, due_in })
}

/// The buckets in which anything is ready.
pub(crate) async fn buckets(pool: &Pool) -> Fallible<Vec<Bucket>> {
    let found = pool.read(&BUCKETS, &[&rows(BUCKETS_MAX)]).await?;
    found.iter().map(|row| Ok(Bucket::new(row.try_get::<_, &str>(0)?)?)).collect()
}

/// What is ready of the worker's own kinds, and where the round goes on.
pub(crate) async fn look_behind(pool: &Pool, behind: &Behind) -> Fallible<Looked> {
    // No kind holds a control character, so nothing lies between a kind and the name with this one behind it.
    let from = behind.after.as_ref().map_or_else(String::new, |kind| format!("{kind}\u{1}"));
    let left: Vec<&KindRange> = behind.ranges.iter().filter(|range| *range.to > *from).collect();
    let (bucket, skip) = (behind.bucket.as_str(), behind.skip.iter().map(Kind::as_str).collect::<Vec<_>>());
    let mut looked = Looked { more: true, ..Looked::default() };
    let (mut last, mut kinds_max) = (None, rows(BEHIND_KINDS_MAX));
    for ranges in left.chunks(RANGES_MAX) {
        let first = column(ranges, |range| range.from.as_str().max(&from));
        // Ranges end before NUL, which PostgreSQL does not have.
        let until = column(ranges, |range| range.to.replace('\0', "\u{1}"));
        let given: Params<'_> =
            &[&pool.now(), &bucket, &first, &until, &kinds_max, &skip, &rows(behind.n_max)];
        let found = pool.read(&BEHIND, given).await?;
        let (notes, due_in) = read(&behind.bucket, &found)?;
        looked.notes.extend(notes.of_one());
        looked.due_in = due_in;
        let Some(tail) = found.last() else { break };
        if let Some(kind) = tail.try_get::<_, Option<&str>>(7)? {
            last = Some(Kind::new(kind)?);
        }
        kinds_max -= tail.try_get::<_, i64>(8)?;
        if tail.try_get(9)? {
            looked.after = last;
            break;
        }
    }
    Ok(looked)
}

/// What is ready, and how long until the next waiting task is due: the last row says.
fn read(bucket: &Bucket, found: &[Row]) -> Fallible<(Notes, Option<Duration>)> {
    let (mut notes, mut names) = (Notes::default(), Names::default());
    let Some((tail, ready)) = found.split_last() else { return Ok((notes, None)) };
    for row in ready {
        let (kind, priority) = (names.kind(row.try_get(0)?)?, row::priority(row.try_get(1)?)?);
        let (ready_at, lane) = (Time::from_micros(row.try_get(2)?), lane(row.try_get(3)?));
        notes.add_note(bucket, Note { kind, priority, ready_at, lane, n: unrows(row.try_get(4)?) });
    }
    Ok((notes, due_in(tail, 5)?))
}

/// How long until the next waiting task is due, from the columns now and `next_at`.
pub(crate) fn due_in(row: &Row, at: usize) -> Fallible<Option<Duration>> {
    let now = Time::from_micros(row.try_get(at)?);
    let next_at: Option<i64> = row.try_get(at + 1)?;
    Ok(next_at.map(|next_at| Time::from_micros(next_at).since(now)))
}
