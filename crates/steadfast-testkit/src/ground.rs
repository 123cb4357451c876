//! What a case stands on: a fresh store, a clock that it moves, and short words for what it does all the time.

use crate::clock::TestClock;
use crate::ledger::Ledger;
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use steadfast_core::seam::{
    Add, Adds, Answer, Behind, Cause, Clock, Finish, Finished, Grab, Look, Looked, Register, Released, Renew,
    Renewed, Save, Saved, Stray,
};
use steadfast_core::{
    Act, Acted, Bucket, Change, Deed, Demand, Fence, Guard, Kind, KindRange, Lane, NewTask, Offer, Offered,
    Payload, Priority, Receipt, Refusal, Status, Store, Task, TaskId, Time, To, When, WorkerId,
};

/// What a worker takes on that has these handlers, without limits of their own.
pub(crate) fn offer(kinds: &[&str]) -> Offer {
    let offered = |kind: &&str| Offered { kind: (*kind).to_owned(), limits: Vec::new(), booked: false };
    Offer { slots: 10, kinds: kinds.iter().map(offered).collect(), ..Offer::default() }
}

/// A fresh store with nothing in it, and the means to use it in few words. Calls panic when the store fails.
pub struct Ground {
    /// The store to test.
    pub store: Arc<dyn Store>,
    /// Its clock.
    pub clock: Arc<TestClock>,
    /// A table of the user's own in the same database.
    pub ledger: Arc<dyn Ledger>,
    /// Feeds the chance of cases that need some; differs from round to round.
    pub seed: u64,
    ids: AtomicU64,
    kept: Vec<Box<dyn Any + Send + Sync>>,
}

impl Ground {
    /// How long a worker lives without a renew.
    pub const LEASE: Duration = Duration::from_secs(15);
    /// How long a run may take.
    pub const DEADLINE: Duration = Duration::from_secs(3600);

    /// A ground on this store, which goes by this clock.
    pub fn new(store: Arc<dyn Store>, clock: Arc<TestClock>, ledger: Arc<dyn Ledger>) -> Self {
        Self { store, clock, ledger, seed: 0, ids: AtomicU64::new(0), kept: Vec::new() }
    }

    /// Keeps something as long as the ground, such as a directory that is removed on drop.
    #[must_use]
    pub fn keeping(mut self, thing: impl Any + Send + Sync) -> Self {
        self.kept.push(Box::new(thing));
        self
    }

    /// The store's clock.
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// Lets seconds pass.
    pub fn pass_s(&self, seconds: u64) {
        self.clock.pass(Duration::from_secs(seconds));
    }

    /// A new id; each is higher than those before.
    pub fn id(&self) -> TaskId {
        let (ms, n) = self.next_id();
        TaskId::new(ms, [n, 0])
    }

    /// A new receipt.
    pub fn receipt(&self) -> Receipt {
        let (ms, n) = self.next_id();
        Receipt::new(ms, [n, 0])
    }

    /// The id of a worker that is not registered.
    pub fn stranger(&self) -> WorkerId {
        let (ms, n) = self.next_id();
        WorkerId::new(ms, [n, 0])
    }

    /// A registered worker.
    pub async fn worker(&self) -> WorkerId {
        let worker = self.stranger();
        self.register(worker, 1).await;
        worker
    }

    /// What a worker in good standing finds astray.
    pub async fn strays(&self, n_max: usize) -> Vec<Stray> {
        expect(self.store.strays(self.worker().await, n_max)).await
    }

    /// Registers a worker of this build.
    pub async fn register(&self, worker: WorkerId, build: i64) -> Time {
        let register = Register {
            worker,
            name: "host-1".into(),
            build,
            offer: offer(&["mail", "pay*"]),
            lease: Self::LEASE,
        };
        expect(self.store.register(register)).await
    }

    /// A task of this kind before it is added; cases change its fields.
    pub fn task(&self, kind_name: &str) -> NewTask {
        NewTask::new(self.id(), kind(kind_name), Payload::bytes(*b"payload"))
    }

    /// Adds tasks in one batch.
    pub async fn add_all(&self, tasks: Vec<NewTask>) -> Adds {
        expect(self.store.add(Add { tasks, ..Add::default() })).await
    }

    /// Adds one task; of a repeat, the first task's id.
    pub async fn add(&self, task: NewTask) -> TaskId {
        self.add_all(vec![task]).await.added[0].id
    }

    /// Adds so many tasks of a kind in one batch.
    pub async fn add_n(&self, kind: &str, n: usize) -> Vec<TaskId> {
        let tasks = (0..n).map(|_| self.task(kind)).collect();
        self.add_all(tasks).await.added.into_iter().map(|added| added.id).collect()
    }

    /// Takes up to `n` tasks of a kind at the usual priority from the usual bucket.
    pub async fn grab(&self, worker: WorkerId, kind: &str, n: usize) -> Vec<Task> {
        self.grab_demands(worker, &Bucket::default(), vec![demand(kind, n)]).await
    }

    /// Takes what the demands ask for.
    pub async fn grab_demands(&self, worker: WorkerId, bucket: &Bucket, demands: Vec<Demand>) -> Vec<Task> {
        let demands = demands.into_iter().map(|demand| (demand, Self::DEADLINE)).collect();
        expect(self.store.grab(Grab { worker, bucket: bucket.clone(), demands, under: None, durable: false }))
            .await
    }

    /// Takes the one task of a kind that is ready.
    pub async fn grab_one(&self, worker: WorkerId, kind: &str) -> Task {
        let mut tasks = self.grab(worker, kind, 1).await;
        assert_eq!(tasks.len(), 1, "a `{kind}` should have been ready");
        tasks.remove(0)
    }

    /// A new task in the hands of a worker.
    pub async fn running(&self, worker: WorkerId) -> Task {
        self.running_as(worker, self.task("mail")).await
    }

    /// This task, added and in the hands of a worker. A serial one is released on the way.
    pub async fn running_as(&self, worker: WorkerId, task: NewTask) -> Task {
        let (kind, priority, bucket) = (task.kind.clone(), task.priority, task.bucket.clone());
        let serial = task.serial.clone();
        let id = self.add(task).await;
        if let Some(serial) = serial {
            self.release(&[&serial]).await;
        }
        let demand = Demand { kind, priority, lane: Lane::Plain, n: 1 };
        let tasks = self.grab_demands(worker, &bucket, vec![demand]).await;
        assert_eq!(tasks.iter().map(|task| task.id).collect::<Vec<_>>(), [id]);
        tasks.into_iter().next().expect("there is one")
    }

    /// A parked task that still has its token, until an hour from now.
    pub async fn parked(&self, worker: WorkerId) -> Task {
        let task = self.running(worker).await;
        assert_ne!(self.end(&task, To::Parked(in_s(3600))).await, Finished::Lost);
        self.get(task.id).await
    }

    /// Ends one run for its holder.
    pub async fn end(&self, task: &Task, to_where: To) -> Finished {
        self.finish(fence(task), Cause::Holder, to(task, to_where)).await
    }

    /// Ends one run.
    pub async fn finish(&self, fence: Fence, cause: Cause, change: Change) -> Finished {
        let mut finished = self.finish_all(vec![Finish { fence, cause, change }]).await;
        assert_eq!(finished.len(), 1);
        finished.remove(0)
    }

    /// Ends several runs in one batch.
    pub async fn finish_all(&self, finishes: Vec<Finish>) -> Vec<Finished> {
        expect(self.store.finish(finishes)).await
    }

    /// A save of this run that says nothing yet; cases change its fields.
    pub fn save_of(&self, task: &Task) -> Save {
        Save {
            fence: fence(task),
            step: None,
            payload: None,
            progress: None,
            deadline: None,
            progressed: false,
        }
    }

    /// Writes down where one run stands.
    pub async fn save(&self, save: Save) -> Saved {
        let mut saved = expect(self.store.save(vec![save])).await;
        assert_eq!(saved.len(), 1);
        saved.remove(0)
    }

    /// Does something to a task as it stands now.
    pub async fn act(&self, id: TaskId, deed: Deed) -> Result<Acted, Refusal> {
        let version = self.get(id).await.version;
        self.act_guarded(id, Guard::Version(version), deed).await
    }

    /// Does something to a task that was seen like this.
    pub async fn act_guarded(&self, id: TaskId, guard: Guard, deed: Deed) -> Result<Acted, Refusal> {
        let mut acted = expect(self.store.act(vec![Act { id, guard, deed }])).await;
        assert_eq!(acted.len(), 1);
        acted.remove(0)
    }

    /// Lets these serial keys have their next task.
    pub async fn release(&self, keys: &[&str]) -> Released {
        let keys = keys.iter().map(|key| (*key).to_owned()).collect();
        expect(self.store.release(Some(keys), None, 0)).await
    }

    /// Renews a worker that has dealt with these recalls.
    pub async fn renew(&self, worker: WorkerId, handled: Vec<Fence>) -> Renewed {
        expect(self.store.renew(Renew { worker, lease: Self::LEASE, handled })).await
    }

    /// Renews a worker and says what was taken from it.
    pub async fn recalls(&self, worker: WorkerId) -> Vec<Fence> {
        match self.renew(worker, Vec::new()).await {
            Renewed::Alive { recalls, .. } => recalls,
            Renewed::Dead => panic!("the worker should be alive"),
        }
    }

    /// A task that must exist, living or in the history.
    pub async fn get(&self, id: TaskId) -> Task {
        self.find(id).await.unwrap_or_else(|| panic!("task {id} should exist"))
    }

    /// A task, if it exists.
    pub async fn find(&self, id: TaskId) -> Option<Task> {
        expect(self.store.get(id)).await
    }

    /// What a task is doing.
    pub async fn status(&self, id: TaskId) -> Status {
        self.get(id).await.status
    }

    /// Looks at the usual bucket.
    pub async fn look(&self, n_max: usize) -> Looked {
        expect(self.store.look(Look { bucket: Bucket::default(), n_max })).await
    }

    /// Looks at the usual bucket for kinds of one's own, `*` ending a prefix, without those that are full.
    pub async fn look_behind(
        &self,
        n_max: usize,
        own: &[&str],
        full: &[&str],
        after: Option<Kind>,
    ) -> Looked {
        let range = |name: &&str| match name.strip_suffix('*') {
            Some(prefix) => vec![KindRange::of_prefix(prefix)],
            None => KindRange::of_kind(name).into(),
        };
        let ranges = KindRange::joined(own.iter().flat_map(range).collect()).into();
        let skip = full.iter().map(|name| kind(name)).collect();
        expect(self.store.look_behind(Behind { bucket: Bucket::default(), n_max, ranges, skip, after })).await
    }

    fn next_id(&self) -> (u64, u64) {
        let n = self.ids.fetch_add(1, Ordering::SeqCst);
        // Ids are ordered by their milliseconds alone: a millisecond for each makes their order certain.
        (1_700_000_000_000 + n, n ^ (self.seed << 32))
    }
}

/// The answer of a store that must not fail.
pub(crate) async fn expect<T>(answer: Answer<'_, T>) -> T {
    answer.await.expect("the store should answer")
}

/// A kind by a name that is known to be good.
pub(crate) fn kind(name: &str) -> Kind {
    Kind::new(name).expect("a good kind")
}

/// Asks for so many of a kind at the usual priority.
pub(crate) fn demand(kind_name: &str, n: usize) -> Demand {
    Demand { kind: kind(kind_name), priority: Priority::default(), lane: Lane::Plain, n }
}

/// The fence of a task that somebody holds.
pub(crate) fn fence(task: &Task) -> Fence {
    task.fence().expect("somebody should hold the task")
}

/// The ids of tasks in their own order, for those who do not care how they came.
pub(crate) fn ids(tasks: &[Task]) -> Vec<TaskId> {
    let mut ids: Vec<TaskId> = tasks.iter().map(|task| task.id).collect();
    ids.sort_unstable();
    ids
}

/// So many seconds.
pub(crate) fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// So many seconds after the store's clock.
pub(crate) fn in_s(seconds: u64) -> When {
    When::After(s(seconds))
}

/// A change that counts nothing and only sends a task somewhere.
pub fn to(task: &Task, to: To) -> Change {
    Change {
        to,
        attempt: task.attempt,
        failures: task.failures,
        lost: task.lost,
        errors: None,
        output: None,
        kind: None,
        step: None,
        payload: None,
    }
}
