//! The store as its users see it.

use crate::counters::{Call, Counters};
use crate::options::Options;
use crate::threads::Threads;
use crate::{
    act, add, bucket, check, clean, due, effects, find, finish, grab, key, kind, look, migrate, neighbours,
    open, payload, save, serial, stray, worker,
};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use steadfast_core::seam::{
    Add, Adds, Answer, Behind, Clean, Cleaned, Commit, Committed, Count, Due, Ear, Eject, Finish, Finished,
    Grab, Hint, Hints, KindRow, Look, Looked, Page, Register, Released, Renew, Renewed, Save, Saved, Settled,
    Store, Stray, WorkerRow,
};
use steadfast_core::{
    Act, Acted, Bucket, Cursor, Filter, Finding, Key, Kind, Payload, Policy, Receipt, Refusal, StoreError,
    Task, TaskId, Time, WorkerId,
};

/// A store in one SQLite file. Clones are the same store; the last one that is dropped waits until all is
/// written and ends the threads.
#[derive(Clone)]
pub struct SqliteStore(Arc<Threads>);

impl SqliteStore {
    /// Opens the file, makes it if it is not there, and brings its tables to this build's schema.
    ///
    /// Several programs may open one file, and their own tables may lie beside ours.
    ///
    /// # Errors
    ///
    /// [`Refusal::Database`] says what is wrong with the file and what to do; [`Refusal::NewerSchema`] means that a
    /// later build wrote it; [`StoreError::Busy`] that another program held the file for half a minute.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let connection = open::writer(path, options.bytes_max)?;
        Ok(Self(Arc::new(Threads::start(path.to_owned(), options, connection)?)))
    }

    /// What the calls have cost so far.
    pub fn counters(&self) -> Counters {
        self.0.tallies.read()
    }

    /// Remembers where the rows of runs are that were just begun.
    fn note_places(&self, tasks: &[Task]) {
        self.0.places.note(tasks.iter().filter_map(neighbours::place));
    }
}

impl Store for SqliteStore {
    /// The answer comes from the next thread, not over a wire.
    fn loses_replies(&self) -> bool {
        false
    }

    fn writers(&self) -> usize {
        1
    }

    fn schema(&self) -> Option<usize> {
        Some(migrate::KNOWN)
    }

    fn add(&self, add: Add) -> Answer<'_, Adds> {
        let rows = add.tasks.len() + add.births.as_ref().map_or(0, |birth| birth.tasks.len());
        let answer = self.0.write(Call::Add, rows, move |db| add::add(db, add));
        Box::pin(async move {
            let adds = answer.await?;
            self.note_places(&adds.born);
            Ok(adds)
        })
    }

    fn look(&self, look: Look) -> Answer<'_, Looked> {
        self.0.read(Call::Look, move |db| look::look(db, &look))
    }

    fn look_behind(&self, behind: Behind) -> Answer<'_, Looked> {
        self.0.read(Call::Look, move |db| look::look_behind(db, &behind))
    }

    fn buckets(&self) -> Answer<'_, Vec<Bucket>> {
        self.0.read(Call::Look, look::buckets)
    }

    fn pause_bucket(&self, bucket: Bucket, paused: bool) -> Answer<'_, ()> {
        self.0.write(Call::Buckets, 1, move |db| bucket::pause(db, &bucket, paused))
    }

    fn paused_buckets(&self) -> Answer<'_, Vec<Bucket>> {
        self.0.read(Call::Buckets, bucket::paused)
    }

    fn grab(&self, grab: Grab) -> Answer<'_, Vec<Task>> {
        let rows = grab.demands.iter().map(|(demand, _)| demand.n).fold(0, usize::saturating_add);
        let answer = self.0.write(Call::Grab, rows, move |db| grab::grab(db, &grab));
        Box::pin(async move {
            let tasks = answer.await?;
            self.note_places(&tasks);
            Ok(tasks)
        })
    }

    fn payload(&self, id: TaskId) -> Answer<'_, Option<Payload>> {
        self.0.read(Call::Payload, move |db| payload::get(db, id))
    }

    fn finish(&self, finishes: Vec<Finish>) -> Answer<'_, Vec<Finished>> {
        let seqs = self.0.places.take(finishes.iter().map(|finish| finish.fence));
        self.0.write(Call::Finish, finishes.len(), move |db| finish::finish(db, &finishes, &seqs))
    }

    fn commit(&self, commit: Commit) -> Answer<'_, Committed> {
        // It ends by its id, and nobody else will ask for its place.
        drop(self.0.places.take(std::iter::once(commit.fence)));
        let answer = self.0.write(Call::Commit, effects::ROWS, move |db| effects::commit(db, commit));
        Box::pin(async move {
            let (committed, added) = answer.await?;
            if added {
                self.ring(Hint::LookAll);
            }
            Ok(committed)
        })
    }

    fn save(&self, saves: Vec<Save>) -> Answer<'_, Vec<Saved>> {
        self.0.write(Call::Save, saves.len(), move |db| save::save(db, &saves))
    }

    fn act(&self, acts: Vec<Act>) -> Answer<'_, Vec<Result<Acted, Refusal>>> {
        self.0.write(Call::Act, acts.len(), move |db| act::act(db, &acts))
    }

    fn eject(&self, eject: Eject) -> Answer<'_, Result<Task, Refusal>> {
        self.0.write(Call::Eject, 1, move |db| act::eject(db, &eject))
    }

    fn register(&self, register: Register) -> Answer<'_, Time> {
        self.0.write(Call::Register, 1, move |db| worker::register(db, &register))
    }

    fn renew(&self, renew: Renew) -> Answer<'_, Renewed> {
        self.0.write(Call::Renew, 1, move |db| worker::renew(db, &renew))
    }

    fn retire(&self, worker: WorkerId) -> Answer<'_, ()> {
        self.0.write(Call::Retire, 1, move |db| worker::retire(db, worker))
    }

    fn held(&self, worker: WorkerId) -> Answer<'_, Vec<Task>> {
        self.0.read(Call::Held, move |db| worker::held(db, worker))
    }

    fn strays(&self, by: WorkerId, n_max: usize) -> Answer<'_, Vec<Stray>> {
        self.0.write(Call::Strays, 1, move |db| stray::strays(db, by, n_max))
    }

    fn due(&self, n_max: usize) -> Answer<'_, Due> {
        self.0.write(Call::Due, n_max, move |db| due::due(db, n_max))
    }

    fn release(
        &self,
        keys: Option<Vec<String>>,
        after: Option<String>,
        n_max: usize,
    ) -> Answer<'_, Released> {
        let rows = keys.as_ref().map_or(n_max, Vec::len);
        self.0.write(Call::Release, rows, move |db| match keys {
            Some(keys) => serial::release(db, &keys),
            None => serial::release_slice(db, after, n_max),
        })
    }

    fn settle(&self, receipt: Receipt) -> Answer<'_, Settled> {
        self.0.write(Call::Settle, 1, move |db| add::settle(db, receipt))
    }

    fn get(&self, id: TaskId) -> Answer<'_, Option<Task>> {
        self.0.read(Call::Get, move |db| payload::whole(db, id))
    }

    fn look_up(&self, key: Key) -> Answer<'_, Option<TaskId>> {
        self.0.read(Call::LookUp, move |db| key::named(db, &key))
    }

    fn find(&self, filter: Filter, after: Option<Cursor>, n_max: usize) -> Answer<'_, Page> {
        self.0.read(Call::Find, move |db| find::find(db, &filter, after, n_max))
    }

    fn count(&self, filter: Filter) -> Answer<'_, Vec<Count>> {
        self.0.read(Call::Count, move |db| find::count(db, &filter))
    }

    fn clean(&self, clean: Clean) -> Answer<'_, Cleaned> {
        self.0.write(Call::Clean, clean.n_max, move |db| clean::clean(db, &clean))
    }

    fn declare(&self, worker: WorkerId, build: i64, kinds: Vec<(Kind, Policy)>) -> Answer<'_, ()> {
        self.0.write(Call::Declare, kinds.len(), move |db| kind::declare(db, worker, build, &kinds))
    }

    fn kinds(&self) -> Answer<'_, Vec<KindRow>> {
        self.0.read(Call::Kinds, kind::kinds)
    }

    fn workers(&self) -> Answer<'_, Vec<WorkerRow>> {
        self.0.read(Call::Workers, worker::workers)
    }

    fn now(&self) -> Answer<'_, Time> {
        self.0.read(Call::Check, |db| Ok(db.now))
    }

    fn check(&self) -> Answer<'_, Vec<Finding>> {
        self.0.read(Call::Check, check::check)
    }
}

/// Hints reach the listeners of this store at once. Those of other programs, and of other stores on the same
/// file, notice the commit itself within 25 ms.
impl Hints for SqliteStore {
    fn ring(&self, hint: Hint) {
        self.0.ears.ring(&hint);
    }

    fn listen(&self, ear: Ear) {
        self.0.ears.listen(ear);
        self.0.watch();
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SqliteStore")
    }
}
