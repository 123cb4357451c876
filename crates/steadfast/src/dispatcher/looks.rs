//! Looking at the store for what no hint told of, and hidden behind what cannot be taken now.

use super::Dispatcher;
use crate::error::Result;
use crate::news::News;
use crate::sweeper::Poke;
use steadfast_core::seam::{Look, Looked};
use steadfast_core::{Bucket, Limits, Note, StoreError};

/// Tasks read ahead in one look.
const LOOK_MAX: usize = 1000;

impl Dispatcher {
    /// Looks, if somebody asked for it or the table has run dry, and there is a slot to fill.
    pub(crate) fn send_look(&mut self, bucket: &Bucket) {
        if !self.may_grab() {
            return;
        }
        let now = self.shared.now();
        let Some(desk) = self.desks.get_mut(bucket) else { return };
        let dry = desk.table.more() && !desk.table.has_next();
        let room = desk.table.limits().room(Limits::ROOT) > 0;
        if desk.looking || !room || !(desk.wants_look || dry) {
            return;
        }
        desk.looking = true;
        desk.wants_look = false;
        desk.look_began = now;
        desk.table.look_begins();
        let look = Look {
            bucket: bucket.clone(),
            n_max: LOOK_MAX,
            skip: desk.out_of_reach(),
            after: desk.look_after.clone(),
        };
        let (shared, news) = (self.shared.clone(), self.news.clone());
        self.shared.spawn(async move {
            let result = shared.store.look(look.clone()).await;
            if result.is_err() {
                shared.backoff(3).await;
            }
            let _ = news.send(News::Looked(look.bucket, result));
        });
    }

    pub(crate) fn looked(&mut self, bucket: &Bucket, result: Result<Looked, StoreError>) {
        let handlers = self.shared.handlers.clone();
        let Some(desk) = self.desks.get_mut(bucket) else { return };
        desk.looking = false;
        let looked = match result {
            Ok(looked) => looked,
            Err(error) => {
                tracing::warn!(%bucket, %error, "look failed");
                desk.table.look_fails();
                return;
            }
        };
        let foreign = desk.foreign.len();
        let ours: Vec<Note> =
            looked.notes.into_iter().filter(|note| desk.knows(&handlers, &note.kind)).collect();
        desk.table.look_ends(&ours, looked.more && !ours.is_empty());
        let found = desk.table.has_next();
        // What filled the window is not ours: now that we know, the store can look behind it.
        let learned = desk.foreign.len() != foreign && looked.more;
        // A round behind full kinds goes on until it finds something or has seen all of them.
        desk.look_after = if found { None } else { looked.after };
        desk.wants_look |= !found && (learned || desk.look_after.is_some());
        desk.clear_since = (!found && !desk.wants_look).then_some(desk.look_began);
        if let Some(wait) = looked.due_in {
            self.poke(Poke::DueIn(wait));
        }
    }

    pub(crate) fn note_all(&mut self, notes: &[(Bucket, Note)]) {
        for (bucket, note) in notes {
            self.note(bucket, note);
        }
    }

    /// Takes word of ready tasks, if they are for us.
    pub(crate) fn note(&mut self, bucket: &Bucket, note: &Note) {
        let handlers = self.shared.handlers.clone();
        if let Some(desk) = self.desks.get_mut(bucket) {
            desk.note(&handlers, note);
        }
    }
}
