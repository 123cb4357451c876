//! Putting an engine together and starting it.

use crate::around::{Interceptor, Rest};
use crate::config::Config;
use crate::contact::InContact;
use crate::dispatcher::Dispatcher;
use crate::dues::Dues;
use crate::engine::Engine;
use crate::error::Result;
use crate::handler::{Handler, IntoOutcome};
use crate::leaser::Leaser;
use crate::new::{Kinded, New};
use crate::news::News;
use crate::policies::Policies;
use crate::registry::Registry;
use crate::run::Run;
use crate::shared::{Decorator, Shared};
use crate::sweeper::Sweeper;
use crate::tokio_runtime::TokioRuntime;
use crate::walker::Walker;
use std::sync::{Arc, Mutex, OnceLock};
use steadfast_core::{Hints, Outcome, Runtime, Store, TraceContext};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

/// Adds that may wait in the channel before callers have to wait.
const CALLERS_MAX: usize = 4096;

/// An engine before it starts.
#[must_use = "an engine runs only when it was started"]
pub struct Builder {
    store: Arc<dyn Store>,
    hints: Arc<dyn Hints>,
    runtime: Option<Arc<dyn Runtime>>,
    config: Config,
    handlers: Vec<Handler>,
    around: Vec<Interceptor>,
    decorators: Vec<Decorator>,
    pub(crate) registry: Registry,
}

impl Builder {
    /// An engine on a store that is already open.
    pub fn on(store: Arc<dyn Store>, hints: Arc<dyn Hints>) -> Self {
        let (config, registry) = (Config::default(), Registry::default());
        let (handlers, around, decorators) = (Vec::new(), Vec::new(), Vec::new());
        Self { store, hints, runtime: None, config, handlers, around, decorators, registry }
    }

    /// Runs on this instead of tokio, for simulation.
    pub fn runtime(mut self, runtime: Arc<dyn Runtime>) -> Self {
        self.runtime = Some(runtime);
        self
    }

    /// Changes the settings.
    ///
    /// ```no_run
    /// # async fn example() -> steadfast::Result<()> {
    /// let builder = steadfast::connect("sqlite:tasks.db").await?.configure(|config| config.slots = 32);
    /// # Ok(()) }
    /// ```
    pub fn configure(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(&mut self.config);
        self
    }

    /// Gives a bucket so many slots of its own, instead of those that all others have.
    ///
    /// ```no_run
    /// # async fn example() -> steadfast::Result<()> {
    /// let builder = steadfast::connect("sqlite:tasks.db").await?.bucket("reports", 2).bucket("mail", 500);
    /// # Ok(()) }
    /// ```
    pub fn bucket(mut self, name: impl Into<String>, slots: usize) -> Self {
        self.config.buckets.push((name.into(), slots));
        self
    }

    /// Handles the kind that the payload type names.
    pub fn handle<T, F, R>(self, handler: F) -> Self
    where
        T: Kinded,
        F: Fn(Run, T) -> R + Send + Sync + 'static,
        R: std::future::Future<Output: IntoOutcome> + Send + 'static,
    {
        self.register(Handler::typed(handler))
    }

    /// Registers a handler with rules of its own.
    pub fn register(mut self, handler: Handler) -> Self {
        self.handlers.push(handler);
        self
    }

    /// Puts an interceptor around every run. It may act before and after the rest of the run, or answer itself and leave
    /// the rest undone; it must say an outcome. Of several the first is the outermost.
    ///
    /// Interceptors stand around each call of a handler: each attempt, and each step of a state machine that goes on at
    /// once under the same grant. They are called as well when the handler is not, since its payload cannot be read;
    /// the rest of the run then says what becomes of the task. A panic in one is a failure of the run. A run that is
    /// told to stop is dropped with all that stands around it.
    ///
    /// ```
    /// # use steadfast::{Builder, New, Outcome, Rest, Run};
    /// # fn example(builder: Builder) -> Builder {
    /// builder.around(|run: Run, rest: Rest| async move {
    ///     if run.task().context.contains_key("dry-run") {
    ///         return Outcome::Done;
    ///     }
    ///     let outcome = rest.run().await;
    ///     println!("{}: {outcome:?}", run.task().kind);
    ///     outcome
    /// })
    /// # }
    /// ```
    pub fn around<F, R>(mut self, interceptor: F) -> Self
    where
        F: Fn(Run, Rest) -> R + Send + Sync + 'static,
        R: std::future::Future<Output = Outcome> + Send + 'static,
    {
        self.around.push(Box::new(move |run, rest| Box::pin(interceptor(run, rest))));
        self
    }

    /// Passes every new task through this before it is checked and completed, in the order of registration: those of
    /// [`Engine::add`], [`Engine::add_many`], [`Engine::prepare`] and [`Run::add`], where parent and context of the run
    /// are there already.
    ///
    /// ```
    /// # use steadfast::{Builder, New};
    /// # fn example(builder: Builder) -> Builder {
    /// builder.decorate(|new: New| new.context("region", "eu"))
    /// # }
    /// ```
    pub fn decorate(mut self, decorator: impl Fn(New) -> New + Send + Sync + 'static) -> Self {
        self.decorators.push(Box::new(decorator));
        self
    }

    /// Gives every new task without a trace the place that the adding code has in one: `current` asks whatever traces
    /// your service. Tasks that a run adds by [`Run::add`] are in the run's trace without it.
    ///
    /// ```
    /// # use steadfast::{Builder, TraceContext};
    /// # fn current_traceparent() -> Option<String> { None }
    /// # fn example(builder: Builder) -> Builder {
    /// builder.trace(|| TraceContext::parse(&current_traceparent()?))
    /// # }
    /// ```
    pub fn trace(self, current: impl Fn() -> Option<TraceContext> + Send + Sync + 'static) -> Self {
        self.decorate(move |new| match current() {
            Some(place) => new.trace(place),
            None => new,
        })
    }

    /// Starts the engine. Without handlers it only adds.
    ///
    /// # Errors
    /// Settings or handlers that contradict themselves, or a store that cannot be written to.
    pub async fn start(self) -> Result<Engine> {
        launch(self.share()?).await
    }

    /// What all loops of the engine will share.
    pub(crate) fn share(self) -> Result<Arc<Shared>> {
        self.config.check()?;
        let runtime = self.runtime.unwrap_or_else(|| Arc::new(TokioRuntime::current()));
        let handlers = Arc::new(self.registry.complete(self.handlers)?);
        let policies = Policies::new(handlers.clone(), self.store.clone(), runtime.clone());
        let nonce = runtime.random();
        Ok(Arc::new(Shared {
            store: self.store,
            hints: self.hints,
            runtime,
            config: self.config,
            ranges: handlers.ranges(),
            handlers,
            policies,
            around: self.around.into(),
            decorators: self.decorators,
            nonce,
            stopped: Mutex::default(),
            over: CancellationToken::new(),
            adds: OnceLock::new(),
            news: OnceLock::new(),
        }))
    }
}

async fn launch(shared: Arc<Shared>) -> Result<Engine> {
    let (news, inbox) = mpsc::unbounded_channel();
    let (pokes_in, pokes) = mpsc::unbounded_channel();
    let (ask_pauses, renew_now) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    if !shared.handlers.is_empty() {
        shared.policies.refresh().await?;
        let contact = Arc::new(InContact::new(shared.config.lease / 3));
        let leaser = Leaser {
            shared: shared.clone(),
            news: news.clone(),
            contact: contact.clone(),
            renew_now: renew_now.clone(),
        };
        let held = leaser.register().await?;
        let ear = news.clone();
        shared.hints.listen(Box::new(move |hint| ear.send(News::Hint(hint)).is_ok()));
        shared.runtime.spawn_apart("steadfast-lease", Box::pin(leaser.work(held)));
        shared.spawn(Dues::new(shared.clone(), news.clone(), pokes).work());
        let dues = pokes_in.clone();
        shared.spawn(Walker { shared: shared.clone(), news: news.clone(), dues }.work());
        let (news, ask_pauses) = (news.clone(), ask_pauses.clone());
        shared.spawn(Sweeper { shared: shared.clone(), news, contact, ask_pauses }.work());
    }
    let dispatcher = Dispatcher::new(shared.clone(), news.clone(), pokes_in, ask_pauses, renew_now);
    Ok(dispatch(shared, dispatcher, news, inbox))
}

/// An engine that adds, acts and answers questions, and takes no tasks: it has no lease.
#[cfg(feature = "testing")]
pub(crate) fn launch_idle(shared: Arc<Shared>) -> Engine {
    let (news, inbox) = mpsc::unbounded_channel();
    let (pokes, _) = mpsc::unbounded_channel();
    let dispatcher = Dispatcher::new(shared.clone(), news.clone(), pokes, Arc::default(), Arc::default());
    dispatch(shared, dispatcher, news, inbox)
}

fn dispatch(
    shared: Arc<Shared>,
    dispatcher: Dispatcher,
    news: UnboundedSender<News>,
    inbox: UnboundedReceiver<News>,
) -> Engine {
    let (adds, callers) = mpsc::channel(CALLERS_MAX);
    // The first and only time.
    let _ = shared.adds.set(adds.downgrade());
    let _ = shared.news.set(news.clone());
    shared.spawn(dispatcher.work(inbox, callers));
    Engine { shared, adds, news }
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Builder")
            .field("config", &self.config)
            .field("handlers", &self.handlers)
            .finish_non_exhaustive()
    }
}
