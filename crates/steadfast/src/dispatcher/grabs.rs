//! From the table to granted tasks.

use super::Dispatcher;
use crate::error::Result;
use crate::news::{Flight, News};
use crate::shared::REPEAT;
use std::collections::BTreeMap;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::Grab;
use steadfast_core::{Bucket, ClusterPath, Demand, Kind, Lane, Priority, StoreError, Task};

/// Most tasks in one grab.
const GRAB_MAX: usize = 1000;

impl Dispatcher {
    /// Whether this worker may take tasks: it has a lease and is not on its way out.
    pub(crate) fn may_grab(&self) -> bool {
        self.drain.is_none() && self.has_lease()
    }

    /// Grabs what the table puts first, each with its slot booked. Kinds under limits of the cluster go apart, each
    /// path on its own: such a grab may have to wait for a lock, and others must not wait with it.
    pub(crate) fn send_grab(&mut self, bucket: &Bucket) {
        if !self.may_grab() {
            return;
        }
        let Some(worker) = self.seat.as_ref().map(|seat| seat.worker) else { return };
        let Some(desk) = self.desks.get_mut(bucket).filter(|desk| desk.grabbing == 0) else { return };
        let mut apart: BTreeMap<Option<ClusterPath>, Vec<Demand>> = BTreeMap::new();
        for demand in desk.table.take(GRAB_MAX) {
            apart.entry(desk.cluster_path(&demand.kind).cloned()).or_default().push(demand);
        }
        desk.grabbing = apart.len();
        for (under, demands) in apart {
            let policies: Vec<_> = demands.iter().map(|demand| self.policy(&demand.kind)).collect();
            let deadlines = policies.iter().map(|policy| policy.deadline_for(policy.deadline));
            let with_deadlines = demands.iter().cloned().zip(deadlines);
            let grab = Grab {
                worker,
                bucket: bucket.clone(),
                demands: with_deadlines.collect(),
                under,
                durable: policies.iter().any(|policy| policy.at_most_once),
            };
            self.launch_grab(grab, demands);
        }
    }

    fn launch_grab(&mut self, grab: Grab, demands: Vec<Demand>) {
        let flight = self.new_flight();
        self.flights.insert(flight);
        let shared = self.shared.clone();
        self.call(async move {
            let bucket = grab.bucket.clone();
            let result = shared.store.grab(grab).await;
            match &result {
                Ok(_) => abort::pass(Point::GrabCommitted),
                Err(_) => shared.backoff(REPEAT).await,
            }
            News::Grabbed(bucket, flight, demands, result)
        });
    }

    pub(crate) fn grabbed(
        &mut self,
        bucket: &Bucket,
        flight: Flight,
        demands: &[Demand],
        result: Result<Vec<Task>, StoreError>,
    ) {
        self.flights.remove(&flight);
        let mut tasks = result.unwrap_or_else(|error| {
            // If it happened all the same, the next renews find tasks that we do not know, and give them back.
            tracing::warn!(%bucket, %error, "grab failed");
            Vec::new()
        });
        tasks.sort_by_key(|task| (task.priority, task.ready_at, task.seq));
        let mut missing: BTreeMap<(&Kind, _, _), usize> =
            demands.iter().map(|demand| ((&demand.kind, demand.priority, demand.lane), demand.n)).collect();
        for task in &tasks {
            if let Some(n) = missing.get_mut(&(&task.kind, task.priority, task.lane())) {
                *n = n.saturating_sub(1);
            }
        }
        for ((kind, priority, lane), n) in missing {
            match n {
                0 => self.desk(bucket).had_room(kind),
                _ => self.fell_short(bucket, kind, priority, lane, n),
            }
        }
        self.desk(bucket).grabbing -= 1;
        if tasks.is_empty() {
            self.ask_pauses.notify_one();
        }
        if tasks.len() >= GRAB_MAX && self.serves(bucket) {
            // There is more where these came from: the store is at it while they start.
            self.send_grab(bucket);
        }
        self.starts.reserve(tasks.len());
        for task in tasks {
            self.start(Box::new(task));
        }
        self.forget_recalls();
    }

    /// A grab brought fewer than it asked for. Others were faster, the table was wrong, or the cluster is full: only
    /// the store knows, and a full cluster is not asked again at once.
    fn fell_short(&mut self, bucket: &Bucket, kind: &Kind, priority: Priority, lane: Lane, n: usize) {
        let desk = self.desk(bucket);
        desk.fruitless = false;
        desk.knows(kind);
        (0..n).for_each(|_| desk.table.undo(kind, lane));
        desk.table.forget(kind, priority, lane);
        desk.want_look();
        if let Some(wait) = desk.shut(kind) {
            self.later(wait, News::Open(bucket.clone(), kind.clone()));
        }
    }

    /// Recalls of grants that we did not know have nothing left to wait for when no answer is under way that was when they
    /// came.
    pub(crate) fn forget_recalls(&mut self) {
        let oldest = self.flights.first().copied().unwrap_or(Flight::MAX);
        self.recalled.retain(|_, last| *last >= oldest);
    }

    /// Sets timers for kinds that stand aside until a token comes or their book is asked again.
    pub(crate) fn set_timers(&mut self, bucket: &Bucket) {
        let now = self.shared.now();
        let Some(desk) = self.desks.get_mut(bucket) else { return };
        let (alarm, refused) = (desk.new_alarm(now), desk.table.take_refused());
        if let Some(wait) = alarm {
            self.later(wait, News::Tokens);
        }
        for (kind, wait) in refused {
            self.later(wait, News::Open(bucket.clone(), kind));
        }
    }

    /// Frees a slot that was booked for a run that never was.
    pub(crate) fn undo_slot(&mut self, bucket: &Bucket, kind: &Kind, lane: Lane) {
        if let Some(desk) = self.desks.get_mut(bucket) {
            desk.undo(kind, lane);
        }
    }

    /// Frees a booked slot.
    pub(crate) fn free_slot(&mut self, bucket: &Bucket, kind: &Kind, lane: Lane) {
        if let Some(desk) = self.desks.get_mut(bucket) {
            desk.free(kind, lane);
        }
    }
}
