//! What comes due while there is room for it runs at once, and was never ready.
//!
//! Nobody knows which tasks will come due until the store says so. But where many do, they are much like those before
//! them: slots are booked for the kinds that came due the last time, and what is not needed is given back. Whatever
//! nobody booked for becomes ready, as it does where nobody has room.

use super::Dispatcher;
use crate::dues::Poke;
use crate::error::Result;
use crate::news::{Flight, News};
use crate::shared::REPEAT;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::{Due, Grab};
use steadfast_core::{Bucket, Demand, Kind, Lane, Priority, StoreError};

/// Most tasks that are moved at a time; what is left is moved at once after them.
const BATCH_MAX: usize = 1000;
/// Most kinds that slots are booked for.
const KINDS_MAX: usize = 8;

/// What came due the last time, of one bucket.
#[derive(Debug, Default)]
pub(crate) struct Came {
    bucket: Bucket,
    kinds: BTreeMap<(Kind, Priority), usize>,
}

impl Dispatcher {
    /// Asks for what has come due, on behalf of those that are expected.
    pub(crate) fn ask_due(&mut self) {
        let grab = self.book_due();
        let flight = self.new_flight();
        if grab.is_some() {
            self.flights.insert(flight);
        }
        let shared = self.shared.clone();
        self.call(async move {
            let booked = grab.as_ref().map_or_else(Vec::new, |grab| {
                grab.demands.iter().map(|(demand, _)| (grab.bucket.clone(), demand.clone())).collect()
            });
            let result = match grab {
                Some(grab) => shared.store.due_for(BATCH_MAX, grab).await,
                None => shared.store.due(BATCH_MAX).await,
            };
            match &result {
                // Who asked for nothing has grabbed nothing.
                Ok(_) if booked.is_empty() => {}
                Ok(_) => abort::pass(Point::GrabCommitted),
                Err(_) => shared.backoff(REPEAT).await,
            }
            News::CameDue(flight, booked, result)
        });
    }

    /// Books slots for as many as came the last time and as many again, under the conditions of a birth: none of them
    /// passes anybody who is ready.
    fn book_due(&mut self) -> Option<Grab> {
        if self.came.kinds.is_empty() || !self.may_grab() || !self.shared.store.grants_due() {
            return None;
        }
        let worker = self.seat.as_ref()?.worker;
        let bucket = self.came.bucket.clone();
        let mut demands = Vec::new();
        for (kind, priority, came) in self.came.first() {
            let policy = self.policy(&kind);
            let ours = self.desks.get_mut(&bucket).is_some_and(|desk| desk.knows_alone(&kind));
            // Whom a crash of the server must not make ready again is granted in a grab of its own.
            if !ours || policy.at_most_once {
                continue;
            }
            let wanted = came.saturating_mul(2).min(BATCH_MAX);
            let n = (0..wanted).take_while(|_| self.book_unseen(&bucket, &kind, priority)).count();
            if n > 0 {
                let deadline = policy.deadline_for(policy.deadline);
                demands.push((Demand { kind, priority, lane: Lane::Plain, n }, deadline));
            }
        }
        let grab = Grab { worker, bucket, demands, under: None, durable: false };
        Some(grab).filter(|grab| !grab.demands.is_empty())
    }

    pub(crate) fn came_due(
        &mut self,
        flight: Flight,
        mut booked: Vec<(Bucket, Demand)>,
        result: Result<Due, StoreError>,
    ) {
        self.flights.remove(&flight);
        let due = result.unwrap_or_else(|error| {
            // If it happened all the same, the next renews find tasks that we do not know, and give them back.
            tracing::warn!(%error, "due failed");
            Due::default()
        });
        for task in &due.granted {
            if let Some((_, demand)) = booked.iter_mut().find(|(_, demand)| demand.is_for(task)) {
                demand.n = demand.n.saturating_sub(1);
            }
        }
        for (bucket, demand) in booked {
            (0..demand.n).for_each(|_| self.undo_slot(&bucket, &demand.kind, demand.lane));
        }
        self.came.hear(&due);
        self.made_ready(&due.notes);
        self.poke(Poke::Asked(due.next_in));
        let mut granted = due.granted;
        granted.sort_by_key(|task| (task.priority, task.ready_at, task.seq));
        self.starts.reserve(granted.len());
        for task in granted {
            self.start(Box::new(task));
        }
        self.forget_recalls();
    }
}

impl Came {
    /// The kinds that slots are booked for: the most urgent ones, then those of which most came.
    fn first(&self) -> Vec<(Kind, Priority, usize)> {
        let mut kinds: Vec<_> =
            self.kinds.iter().map(|((kind, priority), n)| (kind.clone(), *priority, *n)).collect();
        kinds.sort_by_key(|(_, priority, n)| (*priority, Reverse(*n)));
        kinds.truncate(KINDS_MAX);
        kinds
    }

    /// Takes in what came due now, in the bucket where most did. If nothing did, half of it is expected the next time:
    /// somebody may have asked too early, or another worker been faster.
    fn hear(&mut self, due: &Due) {
        let mut buckets: BTreeMap<&Bucket, BTreeMap<(Kind, Priority), usize>> = BTreeMap::new();
        let granted = due.granted.iter().map(|task| (&task.bucket, &task.kind, task.priority, 1));
        let plain = due.notes.iter().filter(|(_, note)| note.lane == Lane::Plain);
        let ready = plain.map(|(bucket, note)| (bucket, &note.kind, note.priority, note.n));
        for (bucket, kind, priority, n) in granted.chain(ready) {
            *buckets.entry(bucket).or_default().entry((kind.clone(), priority)).or_default() += n;
        }
        match buckets.into_iter().max_by_key(|(_, kinds)| kinds.values().sum::<usize>()) {
            Some((bucket, kinds)) => *self = Self { bucket: bucket.clone(), kinds },
            None => self.kinds.retain(|_, n| {
                *n /= 2;
                *n > 0
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use steadfast_core::{Note, Time};

    fn due(notes: &[(&str, u8, usize)]) -> Due {
        let note = |(kind, priority, n): &(&str, u8, usize)| {
            let (kind, priority) = (Kind::new(kind).unwrap(), Priority::new(i64::from(*priority)).unwrap());
            (Bucket::default(), Note { kind, priority, ready_at: Time::MIN, lane: Lane::Plain, n: *n })
        };
        Due { notes: notes.iter().map(note).collect(), ..Due::default() }
    }

    fn first(came: &Came) -> Vec<(String, usize)> {
        came.first().into_iter().map(|(kind, _, n)| (kind.to_string(), n)).collect()
    }

    #[test]
    fn the_most_urgent_kinds_are_booked_for_first() {
        let mut came = Came::default();
        came.hear(&due(&[("mail", 5, 30), ("alarm", 0, 1), ("pay", 5, 40)]));
        assert_eq!(first(&came), [("alarm".into(), 1), ("pay".into(), 40), ("mail".into(), 30)]);
    }

    #[test]
    fn whoever_is_missed_is_expected_for_a_while() {
        let mut came = Came::default();
        came.hear(&due(&[("mail", 5, 30), ("alarm", 0, 1)]));
        came.hear(&due(&[]));
        assert_eq!(first(&came), [("mail".into(), 15)]);
        for _ in 0..4 {
            came.hear(&due(&[]));
        }
        assert_eq!(first(&came), []);
    }

    #[test]
    fn kinds_without_end_are_not_all_booked_for() {
        let kinds: Vec<String> = (0..2 * KINDS_MAX).map(|n| format!("mail|{n}")).collect();
        let notes: Vec<_> = kinds.iter().map(|kind| (kind.as_str(), 5, 1)).collect();
        let mut came = Came::default();
        came.hear(&due(&notes));
        assert_eq!(came.first().len(), KINDS_MAX);
    }
}
