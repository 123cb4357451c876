//! Looking at the store for what no hint told of, and hidden behind what cannot be taken now.

use super::Dispatcher;
use super::desk::{Desk, View};
use crate::dues::Poke;
use crate::error::Result;
use crate::news::News;
use crate::shared::REPEAT;
use std::collections::BTreeSet;
use steadfast_core::seam::{Behind, Look, Looked};
use steadfast_core::{Bucket, Limits, Note, StoreError};

/// Tasks read ahead in one look: some times as many as there is room for, since others may be faster or have no room.
const LOOK_TIMES: usize = 4;
const LOOK_MIN: usize = 100;
const LOOK_MAX: usize = 1000;

impl Dispatcher {
    /// Looks, if somebody asked for it or the table has run dry, and there is a slot to fill.
    pub(crate) fn send_look(&mut self, bucket: &Bucket) {
        if !self.may_grab() {
            return;
        }
        let now = self.shared.now();
        let Some(desk) = self.desks.get_mut(bucket) else { return };
        // Whoever looks behind others finds some of what there is; only an empty round says that this was all.
        let more = desk.table.more() || desk.view != View::Ahead;
        let dry = more && !desk.fruitless && !desk.table.has_next();
        let room = desk.table.limits().room(Limits::ROOT);
        if desk.looking || room == 0 || !(desk.wants_look || dry) {
            return;
        }
        desk.looking = true;
        desk.wants_look = false;
        desk.look_began = now;
        if desk.view == View::Ahead {
            desk.table.look_begins();
        }
        let (view, full) = (desk.view.clone(), desk.full());
        let n_max = room.saturating_mul(LOOK_TIMES).clamp(LOOK_MIN, LOOK_MAX);
        let (shared, bucket) = (self.shared.clone(), bucket.clone());
        self.call(async move {
            let result = match view {
                View::Ahead => shared.store.look(Look { bucket: bucket.clone(), n_max }).await,
                View::Behind(after) => {
                    let (bucket, ranges) = (bucket.clone(), shared.ranges.clone());
                    let behind = Behind { bucket, n_max, ranges, skip: full, after };
                    shared.store.look_behind(behind).await
                }
            };
            if result.is_err() {
                shared.backoff(REPEAT).await;
            }
            News::Looked(bucket, result)
        });
    }

    pub(crate) fn looked(&mut self, bucket: &Bucket, result: Result<Looked, StoreError>) {
        let Some(desk) = self.desks.get_mut(bucket) else { return };
        desk.looking = false;
        let looked = match result {
            Ok(looked) => looked,
            Err(error) => {
                tracing::warn!(%bucket, %error, "look failed");
                return desk.table.look_fails();
            }
        };
        let ours: Vec<Note> = looked.notes.into_iter().filter(|note| desk.knows(&note.kind)).collect();
        match desk.view {
            View::Ahead => desk.table.look_ends(&ours, looked.more && !ours.is_empty()),
            // What is known of full kinds stays: they are taken when they have room.
            View::Behind(_) => ours.iter().for_each(|note| desk.table.note(note)),
        }
        let found = desk.table.has_next();
        // What cannot be taken fills the window: look behind it, until something is found or all was seen.
        let next = match (&desk.view, looked.after) {
            (View::Ahead, _) if !found && looked.more => Some(View::Behind(None)),
            (View::Behind(_), Some(after)) => Some(View::Behind(Some(after))),
            (View::Behind(_), None) if found => Some(View::Behind(None)),
            (View::Ahead | View::Behind(_), _) => None,
        };
        desk.wants_look |= !found && next.is_some();
        desk.fruitless = !found && next.is_none();
        desk.view = next.unwrap_or(View::Ahead);
        desk.clear_since = desk.fruitless.then_some(desk.look_began);
        if let Some(wait) = looked.due_in {
            self.poke(Poke::DueIn(wait));
        }
    }

    /// Takes word of what this worker made ready. Others need not hear of what is taken here: a ring for each due task
    /// would make all of them look for nothing.
    pub(crate) fn made_ready(&mut self, notes: &[(Bucket, Note)]) {
        let may_grab = self.may_grab();
        let mut others = BTreeSet::new();
        for (bucket, note) in notes {
            let served = may_grab && self.serves(bucket);
            let desk = self.desks.get_mut(bucket).filter(|_| served);
            // Under a limit of the cluster, room here says little.
            let ours = |desk: &mut Desk| desk.knows(&note.kind) && desk.cluster_path(&note.kind).is_none();
            let told = if desk.is_some_and(ours) { &mut self.untold } else { &mut others };
            if !told.contains(bucket) {
                told.insert(bucket.clone());
            }
            self.note(bucket, note);
        }
        self.shared.ring_look(others);
    }

    /// Tells others of what was made ready here and has no room.
    pub(crate) fn share(&mut self, bucket: &Bucket) {
        if !self.untold.contains(bucket) {
            return;
        }
        let may_grab = self.may_grab();
        let Some(desk) = self.desks.get_mut(bucket) else { return };
        if may_grab && desk.table.has_next() {
            // It goes with the next grab.
            return;
        }
        let is_left = !desk.table.is_empty();
        self.untold.remove(bucket);
        if is_left {
            self.shared.ring_look([bucket.clone()].into());
        }
    }

    /// Takes word of ready tasks, if they are for us.
    pub(crate) fn note(&mut self, bucket: &Bucket, note: &Note) {
        if let Some(desk) = self.desks.get_mut(bucket) {
            desk.note(note);
        }
    }
}
