//! The store as its users see it.

use crate::address::Address;
use crate::db::Setting;
use crate::driver::{Drive, Driver};
use crate::fault::{Fallible, Fault};
use crate::hints::{self, Ringer};
use crate::options::Options;
use crate::pool::Pool;
use crate::schema::Schema;
use crate::{
    act, add, bucket, check, clean, due, effects, find, finish, grab, key, kind, look, migrate, save, serial,
    settle, stray, worker,
};
use std::collections::hash_map::RandomState;
use std::fmt;
use std::future::Future;
use std::hash::BuildHasher;
use std::sync::{Arc, Once};
use steadfast_core::seam::{
    Add, Adds, Answer, Behind, Clean, Cleaned, Commit, Committed, Count, Due, Ear, Ears, Eject, Finish,
    Finished, Grab, Hint, Hints, KindRow, Look, Looked, Page, Register, Released, Renew, Renewed, Save,
    Saved, Settled, Store, Stray, WorkerRow,
};
use steadfast_core::{
    Act, Acted, Bucket, Cursor, Filter, Finding, Key, Kind, Level, Payload, Policy, Receipt, Refusal,
    StoreError, Task, TaskId, Time, WorkerId,
};
use tokio_util::sync::CancellationToken;

/// How often a call is sent again when the server undid it for a deadlock.
const DEADLOCKS_MAX: usize = 5;
/// How often a call is sent again when somebody held a lock for too long, a second each time.
const WAITS_MAX: usize = 4;

/// A store in a schema of a PostgreSQL database. Clones are the same store; the last one that is dropped closes
/// the connections.
#[derive(Clone)]
pub struct PgStore(Arc<Inner>);

struct Inner {
    work: Pool,
    /// For transactions that carry a caller's statements: without our settings for the planner.
    callers: Pool,
    /// Leases have a connection of their own: no batch stands before a renew.
    lease: Pool,
    ears: Ears,
    ringer: Arc<Ringer>,
    /// Where to listen; none behind a pooler without another address.
    listen: Option<Address>,
    listening: Once,
    over: CancellationToken,
    /// Dropped last: the thread waits for the connections to end.
    _driver: Driver,
}

impl PgStore {
    /// Connects, makes the schema if it is not there, and brings its tables to this build's.
    ///
    /// The URL is one of libpq's: `postgres://user:password@host/database?sslmode=verify-full`. Several programs may
    /// share a schema, and their own tables may lie in others.
    ///
    /// # Errors
    ///
    /// [`Refusal`]s say what is wrong with the URL, the options or the server, and what to do;
    /// [`StoreError::Down`] means that the server cannot be reached.
    pub async fn open(url: &str, options: Options) -> Result<Self, StoreError> {
        Self::opened(url, options).await.map_err(Fault::sorted)
    }

    /// Whether a pooler in transaction mode stands before the server, as it was said or found out.
    pub fn is_pooled(&self) -> bool {
        self.0.work.pooled
    }

    /// Whether it is the same store.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn callers(&self) -> &Pool {
        &self.0.callers
    }

    pub(crate) fn setting(&self) -> &Setting {
        &self.0.work.setting
    }

    async fn opened(url: &str, options: Options) -> Fallible<Self> {
        let address = Address::new(url)?;
        let elsewhere = options.listen_url.as_deref().map(Address::new).transpose()?;
        let setting = Setting { schema: Schema::new(&options.schema)?, clock: options.clock };
        let (driver, handle) = Driver::start()?;
        let mut client = handle.connect(&address).await?;
        for Finding { level, about, text } in check::server(&client).await? {
            if level == Level::Bad {
                tracing::warn!(setting = about, text, "the server may lose tasks");
            }
        }
        let pooled = match options.pooled {
            Some(pooled) => pooled,
            None => check::is_pooled(&client, &handle.connect(&address).await?).await?,
        };
        migrate::migrate(&mut client, &setting.schema).await?;
        let listen = elsewhere.or_else(|| (!pooled).then(|| address.clone()));
        let pool = |drive, pooled, n| Pool::new(drive, address.clone(), setting.clone(), pooled, n);
        let (here, apart) = (Drive::here(&handle), Drive::Apart(handle.clone()));
        let work = pool(here.clone(), pooled, options.connections_max);
        // The last wait: what is driven from here on ends with the store, and whoever stops waiting before has none.
        work.warm().await;
        let (ringer, over) = (Ringer::new(RandomState::new().hash_one(url.len())), CancellationToken::new());
        handle.drive(ringer.clone().work(pool(apart.clone(), pooled, 1), over.clone()));
        Ok(Self(Arc::new(Inner {
            work,
            callers: pool(here, true, options.connections_max),
            lease: pool(apart, pooled, 1),
            ears: Ears::default(),
            ringer,
            listen,
            listening: Once::new(),
            over,
            _driver: driver,
        })))
    }

    /// Sends a call, again if the server undid it for a deadlock or somebody was in its way.
    fn call<'a, T: Send + 'a, F>(&'a self, work: impl Fn(&'a Inner) -> F + Send + 'a) -> Answer<'a, T>
    where
        F: Future<Output = Fallible<T>> + Send + 'a,
    {
        Box::pin(async move {
            let (mut deadlocks, mut waits) = (0, 0);
            loop {
                match work(&self.0).await {
                    Err(fault) if fault.is_transient() && deadlocks < DEADLOCKS_MAX => deadlocks += 1,
                    Err(fault) if fault.is_locked_out() && waits < WAITS_MAX => waits += 1,
                    result => return result.map_err(Fault::sorted),
                }
            }
        })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

impl Store for PgStore {
    fn loses_replies(&self) -> bool {
        true
    }

    fn writers(&self) -> usize {
        2
    }

    fn schema(&self) -> Option<usize> {
        Some(migrate::KNOWN)
    }

    fn add(&self, add: Add) -> Answer<'_, Adds> {
        let add = Arc::new(add);
        self.call(move |inner| {
            let add = add.clone();
            async move { add::add(&inner.work, &inner.ringer, &add).await }
        })
    }

    fn look(&self, look: Look) -> Answer<'_, Looked> {
        let look = Arc::new(look);
        self.call(move |inner| {
            let look = look.clone();
            async move { look::look(&inner.work, &look).await }
        })
    }

    fn look_behind(&self, behind: Behind) -> Answer<'_, Looked> {
        let behind = Arc::new(behind);
        self.call(move |inner| {
            let behind = behind.clone();
            async move { look::look_behind(&inner.work, &behind).await }
        })
    }

    fn buckets(&self) -> Answer<'_, Vec<Bucket>> {
        self.call(move |inner| look::buckets(&inner.work))
    }

    fn pause_bucket(&self, bucket: Bucket, paused: bool) -> Answer<'_, ()> {
        let bucket = Arc::new(bucket);
        self.call(move |inner| {
            let bucket = bucket.clone();
            async move { bucket::pause(&inner.work, &bucket, paused).await }
        })
    }

    fn paused_buckets(&self) -> Answer<'_, Vec<Bucket>> {
        self.call(move |inner| bucket::paused(&inner.work))
    }

    fn grab(&self, grab: Grab) -> Answer<'_, Vec<Task>> {
        let grab = Arc::new(grab);
        self.call(move |inner| {
            let grab = grab.clone();
            async move { grab::grab(&inner.work, &grab).await }
        })
    }

    fn payload(&self, id: TaskId) -> Answer<'_, Option<Payload>> {
        self.call(move |inner| find::payload(&inner.work, id))
    }

    fn finish(&self, finishes: Vec<Finish>) -> Answer<'_, Vec<Finished>> {
        let finishes = Arc::new(finishes);
        self.call(move |inner| {
            let finishes = finishes.clone();
            async move { finish::finish(&inner.work, &finishes).await }
        })
    }

    /// Sent once: effects cannot be repeated.
    fn commit(&self, commit: Commit) -> Answer<'_, Committed> {
        Box::pin(async move { effects::commit(self, commit).await.map_err(Fault::sorted) })
    }

    fn save(&self, saves: Vec<Save>) -> Answer<'_, Vec<Saved>> {
        let saves = Arc::new(saves);
        self.call(move |inner| {
            let saves = saves.clone();
            async move { save::save(&inner.work, &saves).await }
        })
    }

    fn act(&self, acts: Vec<Act>) -> Answer<'_, Vec<Result<Acted, Refusal>>> {
        let acts = Arc::new(acts);
        self.call(move |inner| {
            let acts = acts.clone();
            async move { act::act(&inner.work, &acts).await }
        })
    }

    fn eject(&self, eject: Eject) -> Answer<'_, Result<Task, Refusal>> {
        let eject = Arc::new(eject);
        self.call(move |inner| {
            let eject = eject.clone();
            async move { act::eject(&inner.work, &eject).await }
        })
    }

    fn register(&self, register: Register) -> Answer<'_, Time> {
        self.0.ringer.audience.joined_by(register.worker);
        let register = Arc::new(register);
        self.call(move |inner| {
            let register = register.clone();
            async move { worker::register(&inner.lease, &register).await }
        })
    }

    fn renew(&self, renew: Renew) -> Answer<'_, Renewed> {
        let renew = Arc::new(renew);
        self.call(move |inner| {
            let renew = renew.clone();
            async move { worker::renew(&inner.lease, &renew).await }
        })
    }

    fn retire(&self, worker: WorkerId) -> Answer<'_, ()> {
        self.call(move |inner| worker::retire(&inner.lease, worker))
    }

    fn held(&self, worker: WorkerId) -> Answer<'_, Vec<Task>> {
        self.call(move |inner| worker::held(&inner.work, worker))
    }

    fn strays(&self, by: WorkerId, n_max: usize) -> Answer<'_, Vec<Stray>> {
        self.call(move |inner| stray::strays(&inner.work, by, n_max))
    }

    fn due(&self, n_max: usize) -> Answer<'_, Due> {
        self.call(move |inner| due::due(&inner.work, n_max, None))
    }

    fn grants_due(&self) -> bool {
        true
    }

    fn due_for(&self, n_max: usize, grab: Grab) -> Answer<'_, Due> {
        let grab = Arc::new(grab);
        self.call(move |inner| {
            let grab = grab.clone();
            async move { due::due(&inner.work, n_max, Some(&grab)).await }
        })
    }

    fn release(
        &self,
        keys: Option<Vec<String>>,
        after: Option<String>,
        n_max: usize,
    ) -> Answer<'_, Released> {
        let asked = Arc::new((keys, after));
        self.call(move |inner| {
            let asked = asked.clone();
            async move {
                match &*asked {
                    (Some(keys), _) => serial::release(&inner.work, keys).await,
                    (None, after) => serial::release_slice(&inner.work, after.as_deref(), n_max).await,
                }
            }
        })
    }

    fn settle(&self, receipt: Receipt) -> Answer<'_, Settled> {
        self.call(move |inner| settle::settle(&inner.work, receipt))
    }

    fn get(&self, id: TaskId) -> Answer<'_, Option<Task>> {
        self.call(move |inner| find::get(&inner.work, id))
    }

    fn look_up(&self, key: Key) -> Answer<'_, Option<TaskId>> {
        let key = Arc::new(key);
        self.call(move |inner| {
            let key = key.clone();
            async move { key::look_up(&inner.work, &key).await }
        })
    }

    fn find(&self, filter: Filter, after: Option<Cursor>, n_max: usize) -> Answer<'_, Page> {
        let filter = Arc::new(filter);
        self.call(move |inner| {
            let filter = filter.clone();
            async move { find::find(&inner.work, &filter, after, n_max).await }
        })
    }

    fn count(&self, filter: Filter) -> Answer<'_, Vec<Count>> {
        let filter = Arc::new(filter);
        self.call(move |inner| {
            let filter = filter.clone();
            async move { find::count(&inner.work, &filter).await }
        })
    }

    fn clean(&self, clean: Clean) -> Answer<'_, Cleaned> {
        let clean = Arc::new(clean);
        self.call(move |inner| {
            let clean = clean.clone();
            async move { clean::clean(&inner.work, &clean).await }
        })
    }

    fn declare(&self, worker: WorkerId, build: i64, kinds: Vec<(Kind, Policy)>) -> Answer<'_, ()> {
        let kinds = Arc::new(kinds);
        self.call(move |inner| {
            let kinds = kinds.clone();
            async move { kind::declare(&inner.work, worker, build, &kinds).await }
        })
    }

    fn kinds(&self) -> Answer<'_, Vec<KindRow>> {
        self.call(move |inner| kind::kinds(&inner.work, &inner.ringer.audience))
    }

    fn workers(&self) -> Answer<'_, Vec<WorkerRow>> {
        self.call(move |inner| worker::workers(&inner.work))
    }

    fn now(&self) -> Answer<'_, Time> {
        self.call(move |inner| check::now(&inner.work))
    }

    fn check(&self) -> Answer<'_, Vec<Finding>> {
        self.call(move |inner| check::check(&inner.work))
    }
}

/// Hints reach the listeners of this store at once, and those of all other stores on the schema by NOTIFY.
impl Hints for PgStore {
    fn ring(&self, hint: Hint) {
        self.0.ears.ring(&hint);
        self.0.ringer.ring(hint);
    }

    fn listen(&self, ear: Ear) {
        let inner = &self.0;
        inner.ears.listen(ear);
        inner.listening.call_once(|| inner.hear());
    }
}

impl Inner {
    /// Starts to listen to other stores.
    fn hear(&self) {
        let Some(address) = self.listen.clone() else {
            tracing::warn!(
                "a pooler in transaction mode carries no hints; set listen_url to hear of others at once"
            );
            return;
        };
        let (setting, ringer, ears) = (self.work.setting.clone(), self.ringer.clone(), self.ears.clone());
        let over = self.over.clone();
        self.work.drive.drive_on(self.over.clone(), move || {
            hints::listen(address.clone(), setting.clone(), ringer.clone(), ears.clone(), over.clone())
        });
    }
}

impl fmt::Debug for PgStore {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("PgStore")
    }
}
