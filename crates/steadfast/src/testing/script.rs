//! What shall happen on a stage, and what did: mishaps to come, points that were passed, handlers that ran.

use super::mishap::Mishap;
use super::ran::Ran;
use crate::around::Rest;
use crate::run::Run;
use crate::shared::Shared;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use steadfast_core::seam::Committed;
use steadfast_core::{Outcome, StoreError, Task, WorkerId};
use tokio::sync::Notify;

/// The point before every call of a handler.
const BEGIN: &str = "run.begin";
/// The point after every call of a handler, before its end is written.
const END: &str = "run.end";

tokio::task_local! {
    /// The script of the stage that polls the run.
    static SCRIPT: Arc<Script>;
}

#[derive(Default)]
pub(crate) struct Script {
    state: Mutex<State>,
    struck: Notify,
}

#[derive(Default)]
struct State {
    mishaps: Vec<(Place, Mishap)>,
    /// How often the handler of a kind was called.
    calls: BTreeMap<String, usize>,
    points: Vec<String>,
    ran: Vec<Ran>,
    blow: Option<Blow>,
    /// Granted to this worker by an ejection, and not yet run.
    ejected: VecDeque<Task>,
    loses_reply: bool,
    worker: Option<WorkerId>,
}

/// Where a mishap happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// In this call of a kind's handler, counted from one.
    Run(String, usize),
    /// At the point of this name.
    Point(String),
}

/// What ends a run from outside.
#[derive(Debug)]
pub(crate) enum Blow {
    Fail(String),
    Crash,
    Hang,
}

impl Script {
    pub(crate) fn plan(&self, place: Place, mishap: Mishap) {
        self.state().mishaps.push((place, mishap));
    }

    pub(crate) fn points(&self) -> Vec<String> {
        self.state().points.clone()
    }

    /// What ran since it was last asked.
    pub(crate) fn take_ran(&self) -> Vec<Ran> {
        std::mem::take(&mut self.state().ran)
    }

    pub(crate) fn ejected(&self, task: Task) {
        self.state().ejected.push_back(task);
    }

    pub(crate) fn take_ejected(&self) -> Option<Task> {
        self.state().ejected.pop_front()
    }

    pub(crate) fn lose_reply(&self) {
        self.state().loses_reply = true;
    }

    pub(crate) fn take_lost_reply(&self) -> bool {
        std::mem::take(&mut self.state().loses_reply)
    }

    /// Who runs tasks on this stage.
    pub(crate) fn worker(&self) -> WorkerId {
        self.state().worker.unwrap_or_else(|| unreachable!("a stage registers its worker first"))
    }

    pub(crate) fn set_worker(&self, worker: WorkerId) {
        self.state().worker = Some(worker);
    }

    /// Ends the run from outside: whoever polls it lets go of it.
    pub(crate) async fn strike(&self, blow: Blow) {
        self.state().blow = Some(blow);
        self.struck.notify_one();
        std::future::pending::<()>().await;
    }

    /// Polls a run to its end, or to the blow that ends it.
    pub(crate) async fn follow<T>(self: &Arc<Self>, run: impl Future<Output = T>) -> Result<T, Blow> {
        tokio::select! {
            biased;
            end = SCRIPT.scope(self.clone(), run) => Ok(end),
            () = self.struck.notified() => {
                Err(self.state().blow.take().unwrap_or_else(|| unreachable!("a blow is written down first")))
            }
        }
    }

    fn mishap_at(&self, place: &Place) -> Option<Mishap> {
        let mut state = self.state();
        let mishaps = &mut state.mishaps;
        let at = mishaps.iter().position(|(at, _)| at == place)?;
        Some(mishaps.remove(at).1)
    }

    /// A handler is called; what shall happen in this call.
    fn begins(&self, task: &Task) -> Option<Mishap> {
        let kind = task.kind.base().to_owned();
        let mut state = self.state();
        state.ran.push(Ran::begins(task));
        let calls = state.calls.entry(kind.clone()).or_default();
        *calls += 1;
        let place = Place::Run(kind, *calls);
        drop(state);
        self.mishap_at(&place)
    }

    fn said(&self, outcome: &Outcome) {
        if let Some(ran) = self.state().ran.last_mut() {
            ran.outcome = Some(outcome.clone());
        }
    }

    fn passes(&self, point: &str) -> Option<Mishap> {
        let mut state = self.state();
        if !state.points.iter().any(|passed| passed == point) {
            state.points.push(point.to_owned());
        }
        drop(state);
        self.mishap_at(&Place::Point(point.to_owned()))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stands around every run of a stage.
pub(crate) async fn around(run: Run, rest: Rest) -> Outcome {
    let Ok(script) = SCRIPT.try_with(Arc::clone) else { return rest.run().await };
    let (late, early) = match script.begins(run.task()) {
        Some(mishap) if mishap.strikes_late() => (Some(mishap), None),
        mishap => (None, mishap),
    };
    befall(early, &script, &run).await;
    run.point(BEGIN).await;
    let outcome = rest.run().await;
    script.said(&outcome);
    befall(late, &script, &run).await;
    run.point(END).await;
    outcome
}

/// A run passes a point. Outside of a stage nothing happens.
pub(crate) async fn pass(run: &Run, point: &str) {
    if let Ok(script) = SCRIPT.try_with(Arc::clone) {
        befall(script.passes(point), &script, run).await;
    }
}

/// The answer to a commit, unless the test loses it.
pub(crate) fn answered(answer: Result<Committed, StoreError>) -> Result<Committed, StoreError> {
    match SCRIPT.try_with(|script| script.take_lost_reply()) {
        Ok(true) => Err(StoreError::Unknown("the test lost the reply".into())),
        Ok(false) | Err(_) => answer,
    }
}

async fn befall(mishap: Option<Mishap>, script: &Script, run: &Run) {
    let shared: &Shared = run.shared();
    if let Some(mishap) = mishap {
        mishap.befall(script, shared, run).await;
    }
}
