//! One call of one handler.

use super::stage::Stage;
use crate::around::Rest;
use crate::new::New;
use crate::reading;
use crate::run::Run;
use steadfast_core::{Outcome, Retention, Task, To, When, decide};
use tokio_util::sync::CancellationToken;

impl Stage {
    /// Calls the handler of a task, once, and answers what it said: no retry, no next step, no mishap. Nothing is left of
    /// the task afterwards; what the handler added stays.
    ///
    /// ```
    /// use steadfast::testing::Stage;
    /// use steadfast::{BoxError, Handler, New, Outcome, Run};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), BoxError> {
    /// let pay = Handler::json("pay", |run: Run, amount: u64| async move {
    ///     match run.task().attempt {
    ///         _ if amount == 0 => Outcome::Fail("nothing to pay".into()),
    ///         3.. => Outcome::kind("call"),
    ///         _ => Outcome::retry("busy"),
    ///     }
    /// });
    /// let mut stage = Stage::of(|builder| builder.register(pay))?;
    /// assert_eq!(stage.run_one(New::json("pay", &0)).await, Outcome::Fail("nothing to pay".into()));
    /// assert_eq!(stage.run_one_as(New::json("pay", &7), |task| task.attempt = 3).await, Outcome::kind("call"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Panics
    /// If the task is refused or has no handler here, and where the handler panics.
    pub async fn run_one(&mut self, new: impl Into<New>) -> Outcome {
        self.run_one_as(new, |_| {}).await
    }

    /// The same with a task that has been through something: `change` says what, such as its attempt or its failures.
    ///
    /// # Panics
    /// As [`run_one`](Self::run_one).
    pub async fn run_one_as(&mut self, new: impl Into<New>, change: impl FnOnce(&mut Task)) -> Outcome {
        let mut task = self.born(new.into()).await;
        change(&mut task);
        let shared = &self.engine.shared;
        let handler = shared.handlers.require(&task.kind).unwrap_or_else(|error| panic!("{error}")).clone();
        let Some(fence) = task.fence() else { unreachable!("who is born running has a holder") };
        let read = reading::read(&handler, &mut task, shared.unpacked_bytes_max());
        let run = Run::new(Box::new(task.clone()), fence, CancellationToken::new(), shared.clone());
        let outcome = Rest::new(run, shared.around.clone(), handler.clone(), read.err()).run().await;
        let mut gone = decide(&task, &handler.policy, Outcome::Done, None, 0);
        gone.to = To::Done(Retention::Delete);
        self.worker.finish(fence, gone);
        outcome
    }

    /// A task that runs already. Key and serial key would stand in the way of another: only its handler sees them.
    async fn born(&self, new: New) -> Task {
        let mut new = self.engine.prepare(new).await.unwrap_or_else(|error| panic!("{error}"));
        let (key, serial) = (new.key.take(), new.serial.take());
        new.when = When::Now;
        let task = self.worker.bear(new).unwrap_or_else(|| unreachable!("a birth needs no slot here"));
        Task { key, serial, ..task }
    }
}
