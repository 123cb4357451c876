//! Reading ahead: what is ready, without taking it.

use crate::db::Db;
use crate::due;
use crate::fault::Fallible;
use crate::note::priority;
use crate::row::{Names, text};
use rusqlite::params;
use std::collections::HashSet;
use steadfast_core::seam::{BEHIND_KINDS_MAX, BUCKETS_MAX, Behind, Look, Looked};
use steadfast_core::{Bucket, Kind, KindRange, Lane, Notes, Priority, Time};

const LOOK: &str = include_str!("../sql/look.sql");
const SUSPECTS: &str = include_str!("../sql/look_suspects.sql");
const NEXT_BUCKET: &str = include_str!("../sql/look_next_bucket.sql");
const NEXT_KIND: &str = include_str!("../sql/look_next_kind.sql");
const NEXT_SUSPECT_KIND: &str = include_str!("../sql/look_next_suspect_kind.sql");
const KIND: &str = include_str!("../sql/look_kind.sql");
const SUSPECT_KIND: &str = include_str!("../sql/look_suspect_kind.sql");

/// A task in the claim's order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    priority: Priority,
    ready_at: Time,
    seq: i64,
    lane: Lane,
    kind: Kind,
}

/// What is ready in a bucket, in the claim's order.
pub(crate) fn look(db: &Db<'_>, look: &Look) -> Fallible<Looked> {
    let mut window = places(db, look, LOOK, Lane::Plain)?;
    let suspects = places(db, look, SUSPECTS, Lane::Suspect)?;
    if !suspects.is_empty() {
        window.extend(suspects);
        window.sort_unstable();
    }
    let more = window.len() > look.n_max;
    window.truncate(look.n_max);
    let mut notes = Notes::default();
    for place in window {
        notes.add(&look.bucket, place.kind, place.priority, place.ready_at, place.lane);
    }
    Ok(Looked { notes: notes.of_one(), more, after: None, due_in: due::next_in(db)? })
}

/// The buckets in which anything is ready, one seek each.
pub(crate) fn buckets(db: &Db<'_>) -> Fallible<Vec<Bucket>> {
    let mut buckets: Vec<Bucket> = Vec::new();
    while buckets.len() < BUCKETS_MAX {
        let after = buckets.last().map_or("", Bucket::as_str);
        let next = db.first(NEXT_BUCKET, params![after], |row| Names::default().bucket(text(row, 0)?))?;
        let Some(next) = next else { break };
        buckets.push(next);
    }
    Ok(buckets)
}

/// The statements of a lane.
struct LaneSql {
    lane: Lane,
    next_kind: &'static str,
    kind: &'static str,
}

const LANES: [LaneSql; 2] = [
    LaneSql { lane: Lane::Plain, next_kind: NEXT_KIND, kind: KIND },
    LaneSql { lane: Lane::Suspect, next_kind: NEXT_SUSPECT_KIND, kind: SUSPECT_KIND },
];

/// What is ready of the worker's own kinds, and where the round goes on.
pub(crate) fn look_behind(db: &Db<'_>, behind: &Behind) -> Fallible<Looked> {
    // There are hardly ever any suspects: one question tells.
    let suspects = first_kind(db, NEXT_SUSPECT_KIND, &behind.bucket, "")?.is_some();
    let lanes = if suspects { &LANES[..] } else { &LANES[..1] };
    let skip: HashSet<&Kind> = behind.skip.iter().collect();
    let (kinds, after) = own_kinds(db, behind, lanes)?;
    let open: Vec<&Kind> = kinds.iter().filter(|kind| !skip.contains(kind)).collect();
    let each = (behind.n_max / open.len().max(1)).max(1);
    let mut notes = Notes::default();
    for kind in open {
        note_kind(db, &behind.bucket, kind, each, lanes, &mut notes)?;
    }
    Ok(Looked { notes: notes.of_one(), more: true, after, due_in: due::next_in(db)? })
}

/// The next kinds of the worker that have anything ready. A kind that is not its own is jumped over, together
/// with all others up to its next range.
fn own_kinds(db: &Db<'_>, behind: &Behind, lanes: &[LaneSql]) -> Fallible<(Vec<Kind>, Option<Kind>)> {
    let mut kinds: Vec<Kind> = Vec::new();
    // No kind holds a control character, so this is the first name after a kind.
    let mut from = behind.after.as_ref().map_or(String::new(), |kind| format!("{kind}\0"));
    while let Some(wanted) = KindRange::next_in(&behind.ranges, &from) {
        let Some(kind) = next_kind(db, &behind.bucket, wanted, lanes)? else { return Ok((kinds, None)) };
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

/// The first kind at or after a name that has anything ready, in any of these lanes.
fn next_kind(db: &Db<'_>, bucket: &Bucket, from: &str, lanes: &[LaneSql]) -> Fallible<Option<Kind>> {
    let mut first: Option<Kind> = None;
    for lane in lanes {
        first = first.into_iter().chain(first_kind(db, lane.next_kind, bucket, from)?).min();
    }
    Ok(first)
}

fn first_kind(db: &Db<'_>, sql: &str, bucket: &Bucket, from: &str) -> Fallible<Option<Kind>> {
    db.first(sql, params![bucket.as_str(), from], |row| Names::default().kind(text(row, 0)?))
}

fn note_kind(
    db: &Db<'_>,
    bucket: &Bucket,
    kind: &Kind,
    each: usize,
    lanes: &[LaneSql],
    notes: &mut Notes,
) -> Fallible<()> {
    let mut left = i64::try_from(each).unwrap_or(i64::MAX);
    for lane in lanes {
        let places = db.all(lane.kind, params![bucket.as_str(), kind.as_str(), left], |row| {
            Ok((priority(row.get(0)?)?, Time::from_micros(row.get(1)?)))
        })?;
        for (priority, ready_at) in places {
            notes.add(bucket, kind.clone(), priority, ready_at, lane.lane);
            left -= 1;
        }
    }
    Ok(())
}

fn places(db: &Db<'_>, look: &Look, sql: &str, lane: Lane) -> Fallible<Vec<Place>> {
    let mut names = Names::default();
    let n_max = i64::try_from(look.n_max).unwrap_or(i64::MAX).saturating_add(1);
    db.all(sql, params![look.bucket.as_str(), n_max], |row| {
        Ok(Place {
            priority: priority(row.get(1)?)?,
            ready_at: Time::from_micros(row.get(2)?),
            seq: row.get(3)?,
            lane,
            kind: names.kind(text(row, 0)?)?,
        })
    })
}
