//! The memory store behind a rough network: calls are slow, fail before they did anything, or fail after.

use super::chance::Chance;
use super::history::{History, Sometimes};
use super::node::SHARED_MAX;
use super::world::{NodeId, World};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use steadfast_core::seam::{
    Add, Adds, Answer, Behind, Cause, Clean, Cleaned, Commit, Committed, Count, Due, Eject, Finish, Finished,
    Grab, KindRow, Look, Looked, Page, Register, Released, Renew, Renewed, Save, Saved, Settled, Stray,
    WorkerRow,
};
use steadfast_core::{
    Act, Acted, Bucket, Cursor, Filter, Finding, Key, Kind, Payload, Policy, Receipt, Refusal, Status, Store,
    StoreError, Task, TaskId, Time, To, WorkerId,
};
use steadfast_memory::MemoryStore;

/// One node's way to the store.
pub(crate) struct RoughStore {
    pub(crate) world: Arc<World>,
    pub(crate) node: NodeId,
    pub(crate) inner: MemoryStore,
    pub(crate) chance: Arc<Mutex<Chance>>,
    pub(crate) history: Arc<Mutex<History>>,
    pub(crate) sometimes: Arc<Mutex<Sometimes>>,
}

enum Fate {
    Before,
    After,
    Fine,
}

impl RoughStore {
    fn rough<'a, T: Send + 'a>(
        &'a self,
        name: &'static str,
        call: impl FnOnce(&'a Self) -> Answer<'a, T> + Send + 'a,
    ) -> Answer<'a, T> {
        Box::pin(async move {
            let fate = self.fate();
            self.pause().await;
            if matches!(fate, Fate::Before) {
                self.sometimes.lock().unwrap().errors_before += 1;
                self.world.note(format_args!("node {} {name}: fails before", self.node));
                return Err(StoreError::Down("the network ate the question".into()));
            }
            let answer = call(self).await;
            let said = answer.as_ref().map_or_else(ToString::to_string, |_| "ok".into());
            self.world.note(format_args!("node {} {name}: {said}", self.node));
            self.pause().await;
            if matches!(fate, Fate::After) {
                self.sometimes.lock().unwrap().errors_after += 1;
                self.world.note(format_args!("node {} {name}: fails after", self.node));
                return Err(StoreError::Unknown("the network ate the answer".into()));
            }
            answer
        })
    }

    fn fate(&self) -> Fate {
        let chance = *self.chance.lock().unwrap();
        match self.world.random().below(100) {
            roll if roll < chance.before => Fate::Before,
            roll if roll < chance.before + chance.after => Fate::After,
            _ => Fate::Fine,
        }
    }

    async fn pause(&self) {
        let chance = *self.chance.lock().unwrap();
        let wait_us = {
            let mut random = self.world.random();
            let slow = random.percent(chance.slow);
            let max = if slow { chance.slow_max } else { Duration::from_micros(500) };
            random.next() % u64::try_from(max.as_micros().max(1)).unwrap()
        };
        self.world.sleep(Duration::from_micros(wait_us)).await;
    }

    /// How many tasks with a limit of the cluster run now.
    async fn shared_running(&self) -> Result<u64, StoreError> {
        let kind = Kind::new("shared")?;
        let filter = Filter { status: Some(Status::Running), kind: Some(kind), ..Filter::default() };
        Ok(self.inner.count(filter).await?.iter().map(|count| count.n).sum())
    }

    fn see(&self, see: impl FnOnce(&mut History, &mut Sometimes)) {
        see(&mut self.history.lock().unwrap(), &mut self.sometimes.lock().unwrap());
    }
}

impl Store for RoughStore {
    fn loses_replies(&self) -> bool {
        true
    }

    fn schema(&self) -> Option<usize> {
        self.inner.schema()
    }

    fn add(&self, add: Add) -> Answer<'_, Adds> {
        self.rough("add", move |this| {
            Box::pin(async move {
                let adds = this.inner.add(add).await?;
                this.see(|history, sometimes| {
                    sometimes.births += adds.born.len();
                    adds.born.iter().for_each(|task| history.granted(task));
                });
                Ok(adds)
            })
        })
    }

    fn look(&self, look: Look) -> Answer<'_, Looked> {
        self.rough("look", move |this| this.inner.look(look))
    }

    fn look_behind(&self, behind: Behind) -> Answer<'_, Looked> {
        self.rough("look_behind", move |this| this.inner.look_behind(behind))
    }

    fn buckets(&self) -> Answer<'_, Vec<Bucket>> {
        self.rough("buckets", move |this| this.inner.buckets())
    }

    fn pause_bucket(&self, bucket: Bucket, paused: bool) -> Answer<'_, ()> {
        self.rough("pause_bucket", move |this| this.inner.pause_bucket(bucket, paused))
    }

    fn paused_buckets(&self) -> Answer<'_, Vec<Bucket>> {
        self.rough("paused_buckets", move |this| this.inner.paused_buckets())
    }

    fn grab(&self, grab: Grab) -> Answer<'_, Vec<Task>> {
        self.rough("grab", move |this| {
            Box::pin(async move {
                let limited = grab.under.is_some();
                let tasks = this.inner.grab(grab).await?;
                let running = if limited { this.shared_running().await? } else { 0 };
                this.see(|history, sometimes| {
                    sometimes.grabs += tasks.len();
                    sometimes.cluster_full += usize::from(limited && tasks.is_empty());
                    history.counted(running, SHARED_MAX);
                    for task in &tasks {
                        history.granted(task);
                    }
                });
                Ok(tasks)
            })
        })
    }

    fn payload(&self, id: TaskId) -> Answer<'_, Option<Payload>> {
        self.rough("payload", move |this| this.inner.payload(id))
    }

    fn finish(&self, finishes: Vec<Finish>) -> Answer<'_, Vec<Finished>> {
        self.rough("finish", move |this| {
            Box::pin(async move {
                let answers = this.inner.finish(finishes.clone()).await?;
                this.see(|history, sometimes| {
                    for (finish, answer) in finishes.iter().zip(&answers) {
                        history.finished(finish.fence, *answer);
                        let accepted = *answer != Finished::Lost;
                        sometimes.finishes_lost += usize::from(!accepted && finish.cause == Cause::Holder);
                        sometimes.reaps += usize::from(accepted && finish.cause == Cause::Dead);
                        let back = finish.cause == Cause::Holder && finish.change.to == To::Back;
                        sometimes.given_back +=
                            usize::from(accepted && back && finish.change.errors.is_none());
                    }
                });
                Ok(answers)
            })
        })
    }

    fn commit(&self, commit: Commit) -> Answer<'_, Committed> {
        self.rough("commit", move |this| {
            Box::pin(async move {
                let fence = commit.fence;
                let answer = this.inner.commit(commit).await?;
                this.see(|history, sometimes| {
                    if let Committed::Accepted { status, due_at } = answer {
                        history.finished(fence, Finished::Accepted { status, due_at });
                        sometimes.commits += 1;
                    }
                });
                Ok(answer)
            })
        })
    }

    fn save(&self, saves: Vec<Save>) -> Answer<'_, Vec<Saved>> {
        self.rough("save", move |this| this.inner.save(saves))
    }

    fn act(&self, acts: Vec<Act>) -> Answer<'_, Vec<Result<Acted, Refusal>>> {
        self.rough("act", move |this| this.inner.act(acts))
    }

    fn eject(&self, eject: Eject) -> Answer<'_, Result<Task, Refusal>> {
        self.rough("eject", move |this| {
            Box::pin(async move {
                let taken = this.inner.eject(eject).await?;
                if let Ok(task) = &taken {
                    this.see(|history, sometimes| {
                        sometimes.ejections += 1;
                        history.granted(task);
                    });
                }
                Ok(taken)
            })
        })
    }

    fn register(&self, register: Register) -> Answer<'_, Time> {
        self.rough("register", move |this| this.inner.register(register))
    }

    fn renew(&self, renew: Renew) -> Answer<'_, Renewed> {
        self.rough("renew", move |this| {
            Box::pin(async move {
                let renewed = this.inner.renew(renew).await?;
                if let Renewed::Alive { recalls, .. } = &renewed {
                    this.see(|_, sometimes| sometimes.recalls += recalls.len());
                }
                Ok(renewed)
            })
        })
    }

    fn retire(&self, worker: WorkerId) -> Answer<'_, ()> {
        self.rough("retire", move |this| this.inner.retire(worker))
    }

    fn held(&self, worker: WorkerId) -> Answer<'_, Vec<Task>> {
        self.rough("held", move |this| this.inner.held(worker))
    }

    fn strays(&self, by: WorkerId, n_max: usize) -> Answer<'_, Vec<Stray>> {
        self.rough("strays", move |this| this.inner.strays(by, n_max))
    }

    fn due(&self, n_max: usize) -> Answer<'_, Due> {
        self.rough("due", move |this| this.inner.due(n_max))
    }

    fn release(
        &self,
        keys: Option<Vec<String>>,
        after: Option<String>,
        n_max: usize,
    ) -> Answer<'_, Released> {
        self.rough("release", move |this| this.inner.release(keys, after, n_max))
    }

    fn settle(&self, receipt: Receipt) -> Answer<'_, Settled> {
        self.see(|_, sometimes| sometimes.settles += 1);
        self.rough("settle", move |this| this.inner.settle(receipt))
    }

    fn get(&self, id: TaskId) -> Answer<'_, Option<Task>> {
        self.rough("get", move |this| this.inner.get(id))
    }

    fn look_up(&self, key: Key) -> Answer<'_, Option<TaskId>> {
        self.rough("look_up", move |this| this.inner.look_up(key))
    }

    fn find(&self, filter: Filter, after: Option<Cursor>, n_max: usize) -> Answer<'_, Page> {
        self.rough("find", move |this| this.inner.find(filter, after, n_max))
    }

    fn count(&self, filter: Filter) -> Answer<'_, Vec<Count>> {
        self.rough("count", move |this| this.inner.count(filter))
    }

    fn clean(&self, clean: Clean) -> Answer<'_, Cleaned> {
        self.rough("clean", move |this| this.inner.clean(clean))
    }

    fn declare(&self, worker: WorkerId, build: i64, kinds: Vec<(Kind, Policy)>) -> Answer<'_, ()> {
        self.rough("declare", move |this| this.inner.declare(worker, build, kinds))
    }

    fn kinds(&self) -> Answer<'_, Vec<KindRow>> {
        self.rough("kinds", move |this| this.inner.kinds())
    }

    fn workers(&self) -> Answer<'_, Vec<WorkerRow>> {
        self.rough("workers", move |this| this.inner.workers())
    }

    fn now(&self) -> Answer<'_, Time> {
        self.rough("now", move |this| this.inner.now())
    }

    fn check(&self) -> Answer<'_, Vec<Finding>> {
        self.rough("check", move |this| this.inner.check())
    }
}
