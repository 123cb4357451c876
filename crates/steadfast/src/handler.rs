//! Handlers: the code that runs a kind's tasks.

use crate::new::Kinded;
use crate::run::Run;
use crate::upcast::Upcasters;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use steadfast_core::seam::Future;
use steadfast_core::{Book, ClusterLimit, Limit, Outcome, Policy};

/// An error of any type, as `?` makes it.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Runs that get a task of their own each after one was slow.
const APART: usize = 1000;

/// A handler with the kind it is for and the rules of that kind.
#[derive(Clone)]
#[must_use = "a handler works only when it is registered"]
pub struct Handler {
    pub(crate) pattern: Pattern,
    /// Shared with whoever asks for the rules of its kinds: that is asked for every task.
    pub(crate) policy: Arc<Policy>,
    /// Limits in this worker, widest first.
    pub(crate) limits: Vec<Limit>,
    pub(crate) book: Option<Arc<dyn Book>>,
    pub(crate) upcasters: Upcasters,
    pub(crate) call: Arc<dyn Fn(Run) -> Future<Outcome> + Send + Sync>,
    /// How many of its next runs get a task of their own each, since one held a thread for long.
    apart: Arc<AtomicUsize>,
}

/// Which kinds a handler is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// This one, with or without a suffix.
    Kind(String),
    /// All that start with this.
    Prefix(String),
}

/// What a handler may return.
pub trait IntoOutcome {
    /// As an outcome.
    fn into_outcome(self) -> Outcome;
}

impl Handler {
    /// A handler for the kind that its payload type names.
    ///
    /// A payload that does not parse ends the task in `error`, with what was expected.
    pub fn typed<T, F, R>(handler: F) -> Self
    where
        T: Kinded,
        F: Fn(Run, T) -> R + Send + Sync + 'static,
        R: std::future::Future<Output: IntoOutcome> + Send + 'static,
    {
        let mut typed = Self::json(T::KIND, handler);
        typed.upcasters = Upcasters::to(T::VERSION);
        typed
    }

    /// A handler for a kind given by name, with a payload that is read from JSON.
    pub fn json<T, F, R>(kind: impl Into<String>, handler: F) -> Self
    where
        T: serde::de::DeserializeOwned + Send + 'static,
        F: Fn(Run, T) -> R + Send + Sync + 'static,
        R: std::future::Future<Output: IntoOutcome> + Send + 'static,
    {
        let handler = Arc::new(handler);
        Self::of(kind, move |run: Run| {
            let handler = Arc::clone(&handler);
            async move {
                match run.payload::<T>() {
                    Ok(payload) => handler(run, payload).await.into_outcome(),
                    Err(fault) => {
                        Outcome::Fail(format!("payload is not a {}: {fault}", std::any::type_name::<T>()))
                    }
                }
            }
        })
    }

    /// Reads payloads of version `from` as the next one: an old type becomes the new one, or a JSON value another.
    /// Older ones go from version to version until they are what the handler reads
    /// ([`Kinded::VERSION`]). A gap, a repeat, or an upcaster that leads past that is refused when the engine starts.
    ///
    /// A payload without a way to the handler's version ends its task in `error`; one that is newer than the handler is
    /// tried again as the policy says, since a worker of a newer build may come. The stored payload stays as it is.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use steadfast::{Handler, Kinded, Run};
    /// #[derive(Serialize, Deserialize)]
    /// struct Mail { to: Vec<String>, urgent: bool }
    ///
    /// impl Kinded for Mail {
    ///     const KIND: &'static str = "mail";
    ///     const VERSION: u32 = 2;
    /// }
    ///
    /// // Version 0 had one recipient, version 1 had many and could not be urgent.
    /// #[derive(Deserialize)]
    /// struct First { to: String }
    ///
    /// let handler = Handler::typed(|_: Run, mail: Mail| async move { println!("{:?}", mail.to) })
    ///     .upcast(0, |old: First| serde_json::json!({ "to": [old.to] }))
    ///     .upcast(1, |mut old: serde_json::Value| {
    ///         old["urgent"] = false.into();
    ///         old
    ///     });
    /// ```
    pub fn upcast<A, B>(mut self, from: u32, upcast: impl Fn(A) -> B + Send + Sync + 'static) -> Self
    where
        A: serde::de::DeserializeOwned,
        B: serde::Serialize,
    {
        self.upcasters.add(from, upcast);
        self
    }

    /// A handler for a kind given by name.
    pub fn of<F, R>(kind: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Run) -> R + Send + Sync + 'static,
        R: std::future::Future<Output: IntoOutcome> + Send + 'static,
    {
        Self::build(Pattern::Kind(kind.into()), handler)
    }

    /// One handler for all kinds that start with `prefix` and have no handler of their own.
    pub fn prefix<F, R>(prefix: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Run) -> R + Send + Sync + 'static,
        R: std::future::Future<Output: IntoOutcome> + Send + 'static,
    {
        Self::build(Pattern::Prefix(prefix.into()), handler)
    }

    fn build<F, R>(pattern: Pattern, handler: F) -> Self
    where
        F: Fn(Run) -> R + Send + Sync + 'static,
        R: std::future::Future<Output: IntoOutcome> + Send + 'static,
    {
        let handler = Arc::new(handler);
        // The handler is called inside the future, so that a panic before its first await is caught too.
        let call = move |run: Run| -> Future<Outcome> {
            let handler = Arc::clone(&handler);
            Box::pin(async move { handler(run).await.into_outcome() })
        };
        Self {
            pattern,
            policy: Arc::default(),
            limits: Vec::new(),
            book: None,
            upcasters: Upcasters::default(),
            call: Arc::new(call),
            apart: Arc::default(),
        }
    }

    /// Whether its next run may share a thread with others until its first await.
    pub(crate) fn joins(&self) -> bool {
        let less = |apart: usize| apart.checked_sub(1);
        self.apart.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err()
    }

    /// One held a thread for long: the next ones stand in nobody's way, until it has been quick for a while.
    pub(crate) fn stand_apart(&self) {
        self.apart.store(APART, Ordering::Relaxed);
    }

    /// With these rules. Limits of the cluster that were named before stay, below those of the rules.
    pub fn policy(mut self, mut policy: Policy) -> Self {
        policy.cluster.extend(self.policy.cluster.iter().cloned());
        self.policy = Arc::new(policy);
        self
    }

    /// At most so many runs at once in all workers together, of all kinds that name this limit. Further limits go below
    /// the ones before them; `*` is one of each kind's own, suffix and all.
    ///
    /// ```
    /// # use steadfast::{Handler, Run};
    /// // 30 in all, 15 payouts, 3 for each partner (`payout|PARTNER`).
    /// let payouts = Handler::of("payout", |_: Run| async {})
    ///     .cluster_limit("partners", 30)
    ///     .cluster_limit("payout", 15)
    ///     .cluster_limit("*", 3);
    /// ```
    pub fn cluster_limit(mut self, name: impl Into<String>, max: u32) -> Self {
        Arc::make_mut(&mut self.policy).cluster.push(ClusterLimit { name: name.into(), max });
        self
    }

    /// At most so many runs at once in this worker, or so many in a time. Further limits go below the ones before them.
    ///
    /// A number is the handler's own limit. One of the same sort or name takes the place of an earlier one. See [`Limit`] for those that kinds share by name, that each suffix has for
    /// itself, and that urgent tasks may exceed.
    ///
    /// ```
    /// # use steadfast::{Handler, Limit, Rate, Run};
    /// let mail = Handler::of("mail", |_: Run| async {}).limit(15);
    /// // 30 in all, 15 payouts, 3 for each partner (`payout|PARTNER`), who is asked at most five times a second.
    /// let payouts = Handler::of("payout", |_: Run| async {})
    ///     .limit(Limit::named("partners", 30))
    ///     .limit(15)
    ///     .limit(Limit::each(3).rate(Rate::per_second(5)));
    /// ```
    pub fn limit(mut self, limit: impl Into<Limit>) -> Self {
        let limit = limit.into();
        match self.limits.iter_mut().find(|earlier| earlier.whose() == limit.whose()) {
            Some(earlier) => *earlier = limit,
            None => self.limits.push(limit),
        }
        self
    }

    /// Asks this before each run, once all limits have room: a limit written as code.
    pub fn book(mut self, book: Arc<dyn Book>) -> Self {
        self.book = Some(book);
        self
    }
}

impl std::fmt::Debug for Handler {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Handler").field("pattern", &self.pattern).finish_non_exhaustive()
    }
}

impl Pattern {
    /// As it stands in the `kind` table: a prefix ends with a star.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Kind(kind) => kind.clone(),
            Self::Prefix(prefix) => format!("{prefix}*"),
        }
    }
}

impl IntoOutcome for Outcome {
    fn into_outcome(self) -> Outcome {
        self
    }
}

impl IntoOutcome for () {
    fn into_outcome(self) -> Outcome {
        Outcome::Done
    }
}

/// An error is a retry by policy; its chain is kept as text.
impl<T: IntoOutcome, E: Into<BoxError>> IntoOutcome for Result<T, E> {
    fn into_outcome(self) -> Outcome {
        self.map_or_else(|error| Outcome::retry(chain(error.into().as_ref())), IntoOutcome::into_outcome)
    }
}

fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    for cause in std::iter::successors(error.source(), |error| error.source()) {
        text.push_str(": ");
        text.push_str(&cause.to_string());
    }
    text
}
