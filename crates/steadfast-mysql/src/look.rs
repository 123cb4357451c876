//! Reading ahead: what is ready, without taking it.

use crate::cells::Cells;
use crate::columns::rows;
use crate::due;
use crate::fault::Fallible;
use crate::note::lane;
use crate::pool::Pool;
use crate::quiet::Sight;
use crate::row::{self, Names};
use crate::sql::{Sql, params};
use std::collections::HashSet;
use steadfast_core::seam::{BEHIND_KINDS_MAX, BUCKETS_MAX, Behind, Look, Looked};
use steadfast_core::{Bucket, Kind, KindRange, Notes};

const LOOK: Sql = Sql(include_str!("../sql/look.sql"));
const KIND: Sql = Sql(include_str!("../sql/look_kind.sql"));
const NEXT_KIND: Sql = Sql(include_str!("../sql/look_next_kind.sql"));
const NEXT_BUCKET: Sql = Sql(include_str!("../sql/look_next_bucket.sql"));

/// What is ready in a bucket, in the claim's order.
pub(crate) async fn look(pool: &Pool, look: &Look) -> Fallible<Looked> {
    if let Some(sight) = nothing(pool) {
        return Ok(Looked { due_in: sight.due_in(), ..Looked::default() });
    }
    let n_max = rows(look.n_max.saturating_add(1));
    let found = pool.read(&LOOK, params![look.bucket.as_str(), n_max]).await?;
    let mut notes = Notes::default();
    note(&mut notes, &look.bucket, &found[..found.len().min(look.n_max)])?;
    let due_in = due::next_in(pool).await?;
    Ok(Looked { notes: notes.of_one(), more: found.len() > look.n_max, after: None, due_in })
}

/// The buckets in which anything is ready, one seek each.
pub(crate) async fn buckets(pool: &Pool) -> Fallible<Vec<Bucket>> {
    let mut buckets: Vec<Bucket> = Vec::new();
    if nothing(pool).is_some() {
        return Ok(buckets);
    }
    while buckets.len() < BUCKETS_MAX {
        let after = buckets.last().map_or("", Bucket::as_str);
        let found = pool.read(&NEXT_BUCKET, params![after]).await?;
        let Some(next) = found.first() else { break };
        buckets.push(Bucket::new(next.text(0)?)?);
    }
    Ok(buckets)
}

/// What is ready of the worker's own kinds, and where the round goes on.
pub(crate) async fn look_behind(pool: &Pool, behind: &Behind) -> Fallible<Looked> {
    let skip: HashSet<&Kind> = behind.skip.iter().collect();
    let (kinds, after) = own_kinds(pool, behind).await?;
    let open: Vec<&Kind> = kinds.iter().filter(|kind| !skip.contains(kind)).collect();
    let each = rows((behind.n_max / open.len().max(1)).max(1));
    let mut notes = Notes::default();
    for kind in open {
        let found = pool.read(&KIND, params![behind.bucket.as_str(), kind.as_str(), each]).await?;
        note(&mut notes, &behind.bucket, &found)?;
    }
    Ok(Looked { notes: notes.of_one(), more: true, after, due_in: due::next_in(pool).await? })
}

/// The next kinds of the worker that have anything ready. A kind that is not its own is jumped over, together
/// with all others up to its next range.
async fn own_kinds(pool: &Pool, behind: &Behind) -> Fallible<(Vec<Kind>, Option<Kind>)> {
    let mut kinds: Vec<Kind> = Vec::new();
    // No kind holds a control character, so this is the first name after a kind.
    let mut from = behind.after.as_ref().map_or(String::new(), |kind| format!("{kind}\0"));
    while let Some(wanted) = KindRange::next_in(&behind.ranges, &from) {
        let found = pool.read(&NEXT_KIND, params![behind.bucket.as_str(), wanted]).await?;
        let Some(next) = found.first() else { return Ok((kinds, None)) };
        let kind = Kind::new(next.text(0)?)?;
        if KindRange::next_in(&behind.ranges, kind.as_str()) == Some(kind.as_str()) {
            if kinds.len() == BEHIND_KINDS_MAX {
                let after = kinds.last().cloned();
                return Ok((kinds, after));
            }
            from = format!("{kind}\0");
            kinds.push(kind);
        } else {
            kind.as_str().clone_into(&mut from);
        }
    }
    Ok((kinds, None))
}

/// How things stand, if it is known that nothing is ready.
fn nothing(pool: &Pool) -> Option<Sight> {
    pool.setting.quiet.sight().filter(|sight| !sight.ready)
}

/// From the columns kind, priority, `ready_at`, suspect.
fn note(notes: &mut Notes, bucket: &Bucket, found: &[Cells]) -> Fallible<()> {
    let mut names = Names::default();
    for row in found {
        let (kind, priority) = (names.kind(row.text(0)?)?, row::priority(row.int(1)?)?);
        notes.add(bucket, kind, priority, row.time(2)?, lane(row.flag(3)?));
    }
    Ok(())
}
