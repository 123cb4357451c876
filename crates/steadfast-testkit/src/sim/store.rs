//! The memory store behind a rough network: calls are slow, fail before they did anything, or fail after.

use super::chance::Chance;
use super::faulty::Faulty;
use super::recorder::Recorder;
use super::sometimes::Sometimes;
use super::under_way::UnderWay;
use super::world::{NodeId, World};
use crate::checker::Event;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use steadfast_core::seam::{
    Add, Adds, Answer, Behind, Cause, Clean, Cleaned, Commit, Committed, Count, Due, Eject, Finish, Finished,
    Grab, KindRow, Look, Looked, Page, Register, Released, Renew, Renewed, Save, Saved, Settled, Stray,
    WorkerRow,
};
use steadfast_core::{
    Act, Acted, Bucket, Cursor, Deed, Filter, Finding, Key, Kind, Payload, Policy, Receipt, Refusal, Store,
    StoreError, Task, TaskId, Time, To, WorkerId, limit::PAGE_MAX,
};
use steadfast_memory::MemoryStore;

/// One node's way to the store.
pub(crate) struct RoughStore {
    pub(crate) world: Arc<World>,
    pub(crate) node: NodeId,
    pub(crate) faulty: Arc<Faulty>,
    /// What this node has under way.
    pub(crate) under_way: UnderWay,
    pub(crate) chance: Arc<Mutex<Chance>>,
    pub(crate) recorder: Arc<Mutex<Recorder>>,
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
            let _call = self.under_way.begin(name);
            let fate = self.fate();
            self.pause().await;
            if matches!(fate, Fate::Before) || self.chance.lock().unwrap().down {
                self.sometimes.lock().unwrap().saw("call fails before");
                self.world.note(format_args!("node {} {name}: fails before", self.node));
                return Err(StoreError::Down("the network ate the question".into()));
            }
            let answer = call(self).await;
            let said = answer.as_ref().map_or_else(ToString::to_string, |_| "ok".into());
            self.world.note(format_args!("node {} {name}: {said}", self.node));
            self.pause().await;
            if matches!(fate, Fate::After) {
                self.sometimes.lock().unwrap().saw("call fails after");
                self.world.note(format_args!("node {} {name}: fails after", self.node));
                return Err(StoreError::Unknown("the network ate the answer".into()));
            }
            answer
        })
    }

    fn inner(&self) -> &MemoryStore {
        &self.faulty.inner
    }

    fn fate(&self) -> Fate {
        let chance = *self.chance.lock().unwrap();
        match self.world.random().below(100) {
            roll if roll < chance.before => Fate::Before,
            roll if roll < chance.before + chance.after => Fate::After,
            _ => Fate::Fine,
        }
    }

    /// Now and then a store takes some finishes one by one only.
    fn refuse(&self, finishes: usize) -> Result<(), StoreError> {
        let chance = self.chance.lock().unwrap().refused;
        if finishes < 2 || !self.world.random().percent(chance) {
            return Ok(());
        }
        self.sometimes.lock().unwrap().saw("finish refused");
        Err(StoreError::Bug("not together".into()))
    }

    async fn pause(&self) {
        let chance = *self.chance.lock().unwrap();
        let wait_us = {
            let mut random = self.world.random();
            let slow = random.percent(chance.slow);
            self.sometimes.lock().unwrap().saw_n("call is slow", usize::from(slow));
            let max = if slow { chance.slow_max } else { Duration::from_micros(500) };
            random.next() % u64::try_from(max.as_micros().max(1)).unwrap()
        };
        self.world.sleep(Duration::from_micros(wait_us)).await;
    }

    /// Writes down the rows of these tasks as they are now.
    async fn record(&self, ids: Vec<TaskId>) -> Result<(), StoreError> {
        for id in ids {
            let task = self.inner().get(id).await?;
            self.see(|recorder, _| task.iter().for_each(|task| recorder.row(task)));
        }
        Ok(())
    }

    /// Writes down all living rows: for calls that do not say what they moved.
    async fn record_all(&self) -> Result<(), StoreError> {
        let page = self.inner().find(Filter::default(), None, PAGE_MAX).await?;
        self.see(|recorder, _| page.tasks.iter().for_each(|task| recorder.row(task)));
        Ok(())
    }

    /// The store's clock now.
    fn sent(&self) -> u64 {
        self.recorder.lock().unwrap().now()
    }

    fn see(&self, see: impl FnOnce(&mut Recorder, &mut Sometimes)) {
        see(&mut self.recorder.lock().unwrap(), &mut self.sometimes.lock().unwrap());
    }
}

impl Store for RoughStore {
    fn loses_replies(&self) -> bool {
        true
    }

    fn writers(&self) -> usize {
        2
    }

    fn schema(&self) -> Option<usize> {
        self.inner().schema()
    }

    fn add(&self, add: Add) -> Answer<'_, Adds> {
        let sent = self.sent();
        self.rough("add", move |this| {
            Box::pin(async move {
                let keys = add.tasks.iter().map(|new| new.key.clone()).collect::<Vec<_>>();
                if this.under_way.is_beside("add") {
                    this.sometimes.lock().unwrap().saw("add beside");
                }
                let adds = this.faulty.add(add).await?;
                this.record(adds.added.iter().map(|added| added.id).collect()).await?;
                this.see(|recorder, sometimes| {
                    sometimes.saw_n("birth", adds.born.len());
                    adds.born.iter().for_each(|task| recorder.granted(task, sent));
                    for (key, added) in keys.iter().zip(&adds.added).filter(|(_, added)| added.fresh) {
                        recorder.ticked(key.as_ref(), added.id);
                    }
                });
                Ok(adds)
            })
        })
    }

    fn look(&self, look: Look) -> Answer<'_, Looked> {
        self.rough("look", move |this| this.inner().look(look))
    }

    fn look_behind(&self, behind: Behind) -> Answer<'_, Looked> {
        self.rough("look_behind", move |this| this.inner().look_behind(behind))
    }

    fn buckets(&self) -> Answer<'_, Vec<Bucket>> {
        self.rough("buckets", move |this| this.inner().buckets())
    }

    fn pause_bucket(&self, bucket: Bucket, paused: bool) -> Answer<'_, ()> {
        self.rough("pause_bucket", move |this| this.inner().pause_bucket(bucket, paused))
    }

    fn paused_buckets(&self) -> Answer<'_, Vec<Bucket>> {
        self.rough("paused_buckets", move |this| this.inner().paused_buckets())
    }

    fn grab(&self, grab: Grab) -> Answer<'_, Vec<Task>> {
        let sent = self.sent();
        self.rough("grab", move |this| {
            Box::pin(async move {
                let limited = grab.under.is_some();
                let tasks = this.faulty.grab(grab).await?;
                this.see(|recorder, sometimes| {
                    sometimes.saw_n("grab", tasks.len());
                    sometimes.saw_n("cluster full", usize::from(limited && tasks.is_empty()));
                    for task in &tasks {
                        recorder.granted(task, sent);
                    }
                });
                Ok(tasks)
            })
        })
    }

    fn payload(&self, id: TaskId) -> Answer<'_, Option<Payload>> {
        self.rough("payload", move |this| this.inner().payload(id))
    }

    fn finish(&self, finishes: Vec<Finish>) -> Answer<'_, Vec<Finished>> {
        self.rough("finish", move |this| {
            Box::pin(async move {
                this.refuse(finishes.len())?;
                let answers = this.faulty.finish(finishes.clone()).await?;
                this.see(|recorder, sometimes| {
                    for (finish, answer) in finishes.iter().zip(&answers) {
                        recorder.finished(finish.fence, *answer);
                        sometimes.saw_n(name(finish, *answer), 1);
                    }
                });
                this.record(finishes.iter().map(|finish| finish.fence.task).collect()).await?;
                Ok(answers)
            })
        })
    }

    fn commit(&self, commit: Commit) -> Answer<'_, Committed> {
        self.rough("commit", move |this| {
            Box::pin(async move {
                let fence = commit.fence;
                let answer = this.faulty.commit(commit).await?;
                this.see(|recorder, sometimes| {
                    if let Committed::Accepted { status, due_at } = answer {
                        recorder.finished(fence, Finished::Accepted { status, due_at });
                        sometimes.saw("commit");
                    }
                });
                this.record(vec![fence.task]).await?;
                Ok(answer)
            })
        })
    }

    fn save(&self, saves: Vec<Save>) -> Answer<'_, Vec<Saved>> {
        self.rough("save", move |this| {
            Box::pin(async move {
                let ids: Vec<TaskId> = saves.iter().map(|save| save.fence.task).collect();
                let answers = this.inner().save(saves).await?;
                this.record(ids).await?;
                Ok(answers)
            })
        })
    }

    fn act(&self, acts: Vec<Act>) -> Answer<'_, Vec<Result<Acted, Refusal>>> {
        self.rough("act", move |this| {
            Box::pin(async move {
                let answers = this.inner().act(acts.clone()).await?;
                for (act, acted) in acts.iter().zip(&answers) {
                    let Ok(acted) = acted else { continue };
                    let (task, deed, version) = (act.id.to_string(), deed(act), acted.version.get());
                    this.see(|recorder, sometimes| {
                        recorder.note(Event::Act { task, deed: deed.to_owned(), version });
                        sometimes.saw(deed);
                    });
                    this.record(vec![act.id]).await?;
                }
                Ok(answers)
            })
        })
    }

    fn eject(&self, eject: Eject) -> Answer<'_, Result<Task, Refusal>> {
        let sent = self.sent();
        self.rough("eject", move |this| {
            Box::pin(async move {
                let taken = this.inner().eject(eject).await?;
                if let Ok(task) = &taken {
                    this.see(|recorder, sometimes| {
                        sometimes.saw("ejection");
                        recorder.granted(task, sent);
                    });
                }
                Ok(taken)
            })
        })
    }

    fn register(&self, register: Register) -> Answer<'_, Time> {
        self.rough("register", move |this| {
            let (worker, node) = (register.worker.to_string(), format!("node-{}", this.node));
            this.see(|recorder, _| recorder.note(Event::Worker { worker, node }));
            this.inner().register(register)
        })
    }

    fn renew(&self, renew: Renew) -> Answer<'_, Renewed> {
        self.rough("renew", move |this| {
            Box::pin(async move {
                let renewed = this.inner().renew(renew).await?;
                if let Renewed::Alive { recalls, .. } = &renewed {
                    this.see(|_, sometimes| sometimes.saw_n("recall", recalls.len()));
                }
                Ok(renewed)
            })
        })
    }

    fn retire(&self, worker: WorkerId) -> Answer<'_, ()> {
        self.rough("retire", move |this| this.inner().retire(worker))
    }

    fn held(&self, worker: WorkerId) -> Answer<'_, Vec<Task>> {
        self.rough("held", move |this| this.inner().held(worker))
    }

    fn strays(&self, by: WorkerId, n_max: usize) -> Answer<'_, Vec<Stray>> {
        self.rough("strays", move |this| Box::pin(this.faulty.strays(by, n_max)))
    }

    fn due(&self, n_max: usize) -> Answer<'_, Due> {
        self.rough("due", move |this| {
            Box::pin(async move {
                let due = this.inner().due(n_max).await?;
                if !due.notes.is_empty() {
                    this.record_all().await?;
                }
                Ok(due)
            })
        })
    }

    fn grants_due(&self) -> bool {
        self.inner().grants_due()
    }

    fn due_for(&self, n_max: usize, grab: Grab) -> Answer<'_, Due> {
        let sent = self.sent();
        self.rough("due", move |this| {
            Box::pin(async move {
                let due = this.inner().due_for(n_max, grab).await?;
                if !due.notes.is_empty() {
                    this.record_all().await?;
                }
                this.see(|recorder, sometimes| {
                    sometimes.saw_n("due and granted", due.granted.len());
                    for task in &due.granted {
                        recorder.granted(task, sent);
                    }
                });
                Ok(due)
            })
        })
    }

    fn release(
        &self,
        keys: Option<Vec<String>>,
        after: Option<String>,
        n_max: usize,
    ) -> Answer<'_, Released> {
        self.rough("release", move |this| {
            Box::pin(async move {
                let released = this.inner().release(keys, after, n_max).await?;
                if !released.notes.is_empty() || released.due_in.is_some() {
                    this.record_all().await?;
                }
                Ok(released)
            })
        })
    }

    fn settle(&self, receipt: Receipt) -> Answer<'_, Settled> {
        self.see(|_, sometimes| sometimes.saw("settle"));
        self.rough("settle", move |this| this.inner().settle(receipt))
    }

    fn get(&self, id: TaskId) -> Answer<'_, Option<Task>> {
        self.rough("get", move |this| this.inner().get(id))
    }

    fn look_up(&self, key: Key) -> Answer<'_, Option<TaskId>> {
        self.rough("look_up", move |this| this.inner().look_up(key))
    }

    fn find(&self, filter: Filter, after: Option<Cursor>, n_max: usize) -> Answer<'_, Page> {
        self.rough("find", move |this| this.inner().find(filter, after, n_max))
    }

    fn count(&self, filter: Filter) -> Answer<'_, Vec<Count>> {
        self.rough("count", move |this| this.inner().count(filter))
    }

    fn clean(&self, clean: Clean) -> Answer<'_, Cleaned> {
        self.rough("clean", move |this| this.inner().clean(clean))
    }

    fn declare(&self, worker: WorkerId, build: i64, kinds: Vec<(Kind, Policy)>) -> Answer<'_, ()> {
        self.rough("declare", move |this| this.inner().declare(worker, build, kinds))
    }

    fn kinds(&self) -> Answer<'_, Vec<KindRow>> {
        self.rough("kinds", move |this| this.inner().kinds())
    }

    fn workers(&self) -> Answer<'_, Vec<WorkerRow>> {
        self.rough("workers", move |this| this.inner().workers())
    }

    fn now(&self) -> Answer<'_, Time> {
        self.rough("now", move |this| this.inner().now())
    }

    fn check(&self) -> Answer<'_, Vec<Finding>> {
        self.rough("check", move |this| this.inner().check())
    }
}

/// What a finish is counted as.
fn name(finish: &Finish, answer: Finished) -> &'static str {
    match (finish.cause, answer) {
        (Cause::Holder, Finished::Lost) => "finish lost",
        (Cause::Holder, _) if finish.change.errors.is_some() => "run fails",
        (Cause::Holder, _) if finish.change.to == To::Back => "give back",
        (Cause::Dead, Finished::Accepted { .. }) => "reap",
        (Cause::Overdue, Finished::Accepted { .. }) => "run hangs",
        _ => "finish",
    }
}

/// An act in one word.
fn deed(act: &Act) -> &'static str {
    if matches!(act.deed, Deed::Again(_)) { "again" } else { act.deed.name() }
}
