//! What a call is made on: an engine, and tasks that are fit for being acted on.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use steadfast::{BoxError, Engine, Fence, New, Task};

const FAR: Duration = Duration::from_secs(24 * 3600);

/// A call under way.
pub(crate) type Calling = Pin<Box<dyn Future<Output = Result<(), BoxError>> + Send>>;

/// A public call, by name.
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) start: Box<dyn Fn(Arc<Scene>) -> Calling + Send + Sync>,
}

impl Call {
    pub(crate) fn new<R>(name: &'static str, start: impl Fn(Arc<Scene>) -> R + Send + Sync + 'static) -> Self
    where
        R: Future<Output = Result<(), BoxError>> + Send + 'static,
    {
        Self { name, start: Box::new(move |scene| Box::pin(start(scene))) }
    }
}

/// What one call has to work with.
pub(crate) struct Scene {
    pub(crate) engine: Engine,
    pub(crate) url: String,
    /// A task that waits for long.
    pub(crate) far: Task,
    /// The token of one that is parked.
    pub(crate) parked: Fence,
}

impl Scene {
    pub(crate) async fn new(engine: &Engine, url: &str, parked: Fence) -> Arc<Self> {
        let far = engine.add(new().after(FAR)).await.expect("it is added").id;
        let far = engine.get(far).await.expect("an answer").expect("it is there");
        Arc::new(Self { engine: engine.clone(), url: url.to_owned(), far, parked })
    }
}

/// A task with a number of its own.
pub(crate) fn new() -> New {
    numbered("quick")
}

pub(crate) fn numbered(kind: &str) -> New {
    New::kind(kind, number())
}

pub(crate) fn number() -> String {
    static NUMBERS: AtomicU64 = AtomicU64::new(0);
    NUMBERS.fetch_add(1, Ordering::Relaxed).to_string()
}
