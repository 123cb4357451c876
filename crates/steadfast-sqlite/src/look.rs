//! Reading ahead: what is ready, without taking it.

use crate::db::Db;
use crate::due;
use crate::fault::Fallible;
use crate::note::{Notes, priority};
use crate::row::{Names, text};
use rusqlite::params;
use std::collections::HashSet;
use steadfast_core::seam::{Look, Looked};
use steadfast_core::{Kind, Lane, Priority, Time};

const LOOK: &str = include_str!("../sql/look.sql");
const SUSPECTS: &str = include_str!("../sql/look_suspects.sql");
const BEHIND: &str = include_str!("../sql/look_behind.sql");
const SUSPECTS_BEHIND: &str = include_str!("../sql/look_suspects_behind.sql");

/// Most kinds that one look visits behind those that fill its window. A round over more takes several looks.
const BEHIND_KINDS_MAX: usize = 64;

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

    let skip: HashSet<&Kind> = look.skip.iter().collect();
    let hides = window.len() == look.n_max && window.iter().all(|place| skip.contains(&place.kind));
    let mut notes = Notes::default();
    for place in window {
        notes.add(look.bucket.clone(), place.kind, place.priority, place.ready_at, place.lane);
    }
    let after = if hides { look_behind(db, look, &skip, &mut notes)? } else { None };
    Ok(Looked { notes: notes.of_one(), more, after, due_in: due::next_in(db)? })
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

/// Notes the heads of the next kinds, visiting at most [`BEHIND_KINDS_MAX`], and says where to go on.
fn look_behind(
    db: &Db<'_>,
    look: &Look,
    skip: &HashSet<&Kind>,
    notes: &mut Notes,
) -> Fallible<Option<Kind>> {
    let mut at = look.after.clone();
    let mut plain = head(db, look, BEHIND, at.as_ref())?;
    let mut suspect = head(db, look, SUSPECTS_BEHIND, at.as_ref())?;
    for _ in 0..BEHIND_KINDS_MAX {
        let Some(kind) = next_kind(plain.as_ref(), suspect.as_ref()) else { return Ok(None) };
        let heads = [(&plain, Lane::Plain), (&suspect, Lane::Suspect)];
        let of_kind = heads.into_iter().filter_map(|(head, lane)| {
            head.as_ref().filter(|head| head.0 == kind).map(|head| (head.1, lane, head.2))
        });
        // Of one priority, what may run among others goes before what runs alone.
        if let Some((priority, lane, ready_at)) = of_kind.min().filter(|_| !skip.contains(&kind)) {
            notes.add(look.bucket.clone(), kind.clone(), priority, ready_at, lane);
        }
        for (head_of, sql) in [(&mut plain, BEHIND), (&mut suspect, SUSPECTS_BEHIND)] {
            if head_of.as_ref().is_some_and(|head| head.0 == kind) {
                *head_of = head(db, look, sql, Some(&kind))?;
            }
        }
        at = Some(kind);
    }
    Ok(at.filter(|_| plain.is_some() || suspect.is_some()))
}

type Head = (Kind, Priority, Time);

fn head(db: &Db<'_>, look: &Look, sql: &str, after: Option<&Kind>) -> Fallible<Option<Head>> {
    db.first(sql, params![look.bucket.as_str(), after.map_or("", Kind::as_str)], |row| {
        let kind = Names::default().kind(text(row, 0)?)?;
        Ok((kind, priority(row.get(1)?)?, Time::from_micros(row.get(2)?)))
    })
}

fn next_kind(plain: Option<&Head>, suspect: Option<&Head>) -> Option<Kind> {
    plain.into_iter().chain(suspect).map(|head| &head.0).min().cloned()
}
