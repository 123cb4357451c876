//! The seam: each call is one critical section.

use crate::state::State;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use steadfast_core::abort::{self, Point};
use steadfast_core::effects;
use steadfast_core::seam::{
    Add, Adds, Answer, BUCKETS_MAX, Behind, Clean, Cleaned, Clock, Commit, Committed, Count, Due, Ear, Ears,
    Eject, Finish, Finished, Grab, Hint, Hints, KindRow, Look, Looked, Page, Register, Released, Renew,
    Renewed, Save, Saved, Settled, Store, Stray, WorkerRow,
};
use steadfast_core::{
    Act, Acted, Bucket, Cursor, Filter, Finding, Key, Kind, Payload, Policy, Receipt, Refusal, Task, TaskId,
    Time, To, WorkerId,
};

/// A store in memory. Clones are the same store.
///
/// A call does nothing until its answer is polled, and then all of it at once.
#[derive(Clone)]
pub struct MemoryStore {
    state: Arc<Mutex<State>>,
    clock: Arc<dyn Clock>,
    ears: Ears,
}

impl MemoryStore {
    /// An empty store that goes by this clock.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { state: Arc::default(), clock, ears: Ears::default() }
    }

    /// One critical section.
    fn locked<'a, T: 'a>(&'a self, work: impl FnOnce(&mut State, Time) -> T + Send + 'a) -> Answer<'a, T> {
        self.passing(&[], work)
    }

    /// One critical section that writes. A trial that dies at a point dies before anything took effect.
    fn passing<'a, T: 'a>(
        &'a self,
        points: &'static [Point],
        work: impl FnOnce(&mut State, Time) -> T + Send + 'a,
    ) -> Answer<'a, T> {
        Box::pin(async move {
            points.iter().copied().for_each(abort::pass);
            effects::refuse_inside()?;
            // A section that panicked is a test's own doing: what it wrote before stands.
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(work(&mut state, self.clock.now()))
        })
    }
}

impl Store for MemoryStore {
    /// No reply is ever lost here, but a simulation may lose one for it.
    fn loses_replies(&self) -> bool {
        true
    }

    fn writers(&self) -> usize {
        1
    }

    fn schema(&self) -> Option<usize> {
        None
    }

    fn add(&self, add: Add) -> Answer<'_, Adds> {
        let answer = self.passing(&[Point::AddSent], |state, now| state.add(add, now));
        Box::pin(async { answer.await.flatten() })
    }

    fn look(&self, look: Look) -> Answer<'_, Looked> {
        self.locked(move |state, now| state.look(&look, now))
    }

    fn look_behind(&self, behind: Behind) -> Answer<'_, Looked> {
        self.locked(move |state, now| state.look_behind(&behind, now))
    }

    fn buckets(&self) -> Answer<'_, Vec<Bucket>> {
        self.locked(|state, _| state.index.ready.keys().take(BUCKETS_MAX).cloned().collect())
    }

    fn pause_bucket(&self, bucket: Bucket, paused: bool) -> Answer<'_, ()> {
        self.locked(move |state, _| state.pause_bucket(bucket, paused))
    }

    fn paused_buckets(&self) -> Answer<'_, Vec<Bucket>> {
        self.locked(|state, _| state.paused.iter().cloned().collect())
    }

    fn grab(&self, grab: Grab) -> Answer<'_, Vec<Task>> {
        self.passing(&[Point::GrabSent], move |state, now| state.grab(&grab, now))
    }

    fn payload(&self, id: TaskId) -> Answer<'_, Option<Payload>> {
        self.locked(move |state, _| state.payload(id))
    }

    fn finish(&self, finishes: Vec<Finish>) -> Answer<'_, Vec<Finished>> {
        let parks = finishes.iter().any(|finish| matches!(finish.change.to, To::Parked(_)));
        let points: &[Point] =
            if parks { &[Point::ParkSent, Point::FinishSent] } else { &[Point::FinishSent] };
        self.passing(points, move |state, now| {
            finishes.iter().map(|finish| state.finish(finish, now)).collect()
        })
    }

    fn commit(&self, commit: Commit) -> Answer<'_, Committed> {
        let answer = self.passing(&[Point::FinishSent], |state, now| state.commit(commit, now));
        Box::pin(async { answer.await.flatten() })
    }

    fn save(&self, saves: Vec<Save>) -> Answer<'_, Vec<Saved>> {
        self.locked(move |state, now| saves.iter().map(|save| state.save(save, now)).collect())
    }

    fn act(&self, acts: Vec<Act>) -> Answer<'_, Vec<Result<Acted, Refusal>>> {
        self.locked(move |state, now| acts.iter().map(|act| state.act(act, now)).collect())
    }

    fn eject(&self, eject: Eject) -> Answer<'_, Result<Task, Refusal>> {
        self.locked(move |state, now| state.eject(&eject, now))
    }

    fn register(&self, register: Register) -> Answer<'_, Time> {
        self.locked(move |state, now| state.register(register, now))
    }

    fn renew(&self, renew: Renew) -> Answer<'_, Renewed> {
        self.passing(&[Point::RenewSent], move |state, now| state.renew(&renew, now))
    }

    fn retire(&self, worker: WorkerId) -> Answer<'_, ()> {
        self.locked(move |state, _| state.retire(worker))
    }

    fn held(&self, worker: WorkerId) -> Answer<'_, Vec<Task>> {
        self.locked(move |state, _| state.held(worker))
    }

    fn strays(&self, by: WorkerId, n_max: usize) -> Answer<'_, Vec<Stray>> {
        self.locked(move |state, now| state.strays(by, n_max, now))
    }

    fn due(&self, n_max: usize) -> Answer<'_, Due> {
        self.locked(move |state, now| state.due(n_max, None, now))
    }

    fn grants_due(&self) -> bool {
        true
    }

    fn due_for(&self, n_max: usize, grab: Grab) -> Answer<'_, Due> {
        self.passing(&[Point::GrabSent], move |state, now| state.due(n_max, Some(&grab), now))
    }

    fn release(
        &self,
        keys: Option<Vec<String>>,
        after: Option<String>,
        n_max: usize,
    ) -> Answer<'_, Released> {
        self.passing(&[Point::ReleaseSent], move |state, now| match keys {
            Some(keys) => state.release(&keys, now),
            None => state.release_slice(after.as_deref(), n_max, now),
        })
    }

    fn settle(&self, receipt: Receipt) -> Answer<'_, Settled> {
        self.passing(&[Point::SettleSent], move |state, now| state.settle(receipt, now))
    }

    fn get(&self, id: TaskId) -> Answer<'_, Option<Task>> {
        self.locked(move |state, _| state.get(id))
    }

    fn look_up(&self, key: Key) -> Answer<'_, Option<TaskId>> {
        self.locked(move |state, now| state.named(&key, now))
    }

    fn find(&self, filter: Filter, after: Option<Cursor>, n_max: usize) -> Answer<'_, Page> {
        self.locked(move |state, _| state.find(&filter, after, n_max))
    }

    fn count(&self, filter: Filter) -> Answer<'_, Vec<Count>> {
        self.locked(move |state, _| state.count(&filter))
    }

    fn clean(&self, clean: Clean) -> Answer<'_, Cleaned> {
        self.locked(move |state, now| state.clean(&clean, now))
    }

    fn declare(&self, worker: WorkerId, build: i64, kinds: Vec<(Kind, Policy)>) -> Answer<'_, ()> {
        self.locked(move |state, _| state.declare(worker, build, kinds))
    }

    fn kinds(&self) -> Answer<'_, Vec<KindRow>> {
        self.locked(|state, _| state.kinds.values().cloned().collect())
    }

    fn workers(&self) -> Answer<'_, Vec<WorkerRow>> {
        self.locked(|state, _| state.workers.values().cloned().collect())
    }

    fn now(&self) -> Answer<'_, Time> {
        self.locked(|_, now| now)
    }

    fn check(&self) -> Answer<'_, Vec<Finding>> {
        let text = "kept in memory: nothing survives the process; use it for tests";
        self.locked(move |_, _| vec![Finding::warning("store", text)])
    }
}

impl Hints for MemoryStore {
    fn ring(&self, hint: Hint) {
        self.ears.ring(&hint);
    }

    fn listen(&self, ear: Ear) {
        self.ears.listen(ear);
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("MemoryStore")
    }
}
