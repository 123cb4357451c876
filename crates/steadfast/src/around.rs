//! What stands around every run: interceptors, each with the rest of the run in its hands.

use crate::handler::Handler;
use crate::run::Run;
use std::sync::Arc;
use steadfast_core::Outcome;
use steadfast_core::seam::Future;

/// All interceptors of an engine, in the order in which they were named: the first is the outermost.
pub(crate) type Around = Arc<[Interceptor]>;

pub(crate) type Interceptor = Box<dyn Fn(Run, Rest) -> Future<Outcome> + Send + Sync>;

/// The rest of a run: the interceptors that come after, then the handler. See [`Builder::around`](crate::Builder::around).
#[must_use = "without it the handler is not called"]
pub struct Rest {
    run: Run,
    around: Around,
    at: usize,
    handler: Arc<Handler>,
    /// What is said in the handler's place, since it could not read the payload.
    said: Option<Outcome>,
}

impl Rest {
    pub(crate) fn new(run: Run, around: Around, handler: Arc<Handler>, said: Option<Outcome>) -> Self {
        Self { run, around, at: 0, handler, said }
    }

    /// Goes on with the run and says what came of it.
    pub fn run(mut self) -> Future<Outcome> {
        match (self.at < self.around.len(), self.said.take()) {
            // Everything of the application's is called inside the future, where its panics are caught.
            (true, said) => Box::pin(async move {
                let (run, around) = (self.run.clone(), Arc::clone(&self.around));
                around[self.at](run, Self { at: self.at + 1, said, ..self }).await
            }),
            (false, Some(said)) => Box::pin(std::future::ready(said)),
            (false, None) => (self.handler.call)(self.run),
        }
    }
}

impl std::fmt::Debug for Rest {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Rest").field("run", &self.run).finish_non_exhaustive()
    }
}
