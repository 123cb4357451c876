//! State machines whose transitions the compiler checks.

use crate::error::{Error, Result};
use crate::handler::{BoxError, Handler, IntoOutcome};
use crate::new::Kinded;
use crate::run::Run;
use crate::step::{Step, Turn};
use std::collections::BTreeSet;
use std::sync::Arc;
use steadfast_core::Outcome;
use steadfast_core::seam::Future;

/// A handler that is made of one function for each step of a kind.
///
/// A task that was added without a step begins at the first. Each transition is saved under the run's grant, so a crash
/// repeats one step and not the whole. A task at a step that this machine does not have goes to `error`, with its payload
/// and the names of those it has.
///
/// ```
/// use steadfast::{BoxError, Kinded, LeadsTo, Machine, Run, Step, Turn};
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Scan { page: String }
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Compare { words: usize }
///
/// impl Kinded for Scan { const KIND: &'static str = "document"; }
/// impl Step for Scan { const STEP: &'static str = "scan"; }
/// impl Step for Compare { const STEP: &'static str = "compare"; }
/// impl LeadsTo<Compare> for Scan {}
///
/// async fn scan(_: Run, scan: Scan) -> Result<Turn<Scan>, BoxError> {
///     Ok(Turn::to(Compare { words: scan.page.split(' ').count() }))
/// }
///
/// async fn compare(run: Run, compare: Compare) -> Result<Turn<Compare>, BoxError> {
///     run.output(format!("{} words", compare.words));
///     Ok(Turn::done())
/// }
///
/// #[tokio::main]
/// async fn main() -> steadfast::Result<()> {
///     let machine = Machine::starts(scan).step(compare).handler()?;
///     # #[cfg(feature = "memory")] {
///     let engine = steadfast::connect("memory:").await?.register(machine).start().await?;
///     let id = engine.add(Scan { page: "to be or not to be".into() }).await?.id;
///     let task = engine.wait(id).await?.expect("the history has it");
///     assert_eq!(task.output.as_deref(), Some("6 words"));
///     # }
///     Ok(())
/// }
/// ```
#[must_use = "a machine works only as a handler"]
pub struct Machine {
    kind: &'static str,
    /// In the order in which they were given; the first is where tasks begin.
    steps: Vec<(&'static str, Call)>,
}

type Call = Arc<dyn Fn(Run) -> Future<Outcome> + Send + Sync>;

impl Machine {
    /// A machine of the kind that its first step names.
    pub fn starts<S, F, R, E>(handler: F) -> Self
    where
        S: Step + Kinded,
        F: Fn(Run, S) -> R + Send + Sync + 'static,
        R: std::future::Future<Output = Result<Turn<S>, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self { kind: S::KIND, steps: Vec::new() }.step(handler)
    }

    /// With one more step.
    pub fn step<S, F, R, E>(mut self, handler: F) -> Self
    where
        S: Step,
        F: Fn(Run, S) -> R + Send + Sync + 'static,
        R: std::future::Future<Output = Result<Turn<S>, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        let handler = Arc::new(handler);
        let call = move |run: Run| -> Future<Outcome> {
            let handler = Arc::clone(&handler);
            Box::pin(async move {
                match run.payload::<S>() {
                    Ok(step) => handler(run, step).await.into_outcome(),
                    Err(fault) => Outcome::Fail(format!("payload is not a step `{}`: {fault}", S::STEP)),
                }
            })
        };
        self.steps.push((S::STEP, Arc::new(call)));
        self
    }

    /// The handler to register; policy and limit are the kind's.
    ///
    /// # Errors
    /// [`Error::TwoHandlers`] if a step was given twice.
    pub fn handler(self) -> Result<Handler> {
        let mut seen = BTreeSet::new();
        if let Some((twice, _)) = self.steps.iter().find(|(name, _)| !seen.insert(*name)) {
            return Err(Error::TwoHandlers(format!("`{}` at step `{twice}`", self.kind)));
        }
        let kind = self.kind;
        let machine = Arc::new(self);
        Ok(Handler::of(kind, move |run: Run| {
            let machine = Arc::clone(&machine);
            async move { machine.call(run).await }
        }))
    }

    async fn call(&self, run: Run) -> Outcome {
        let at = |step: &str| self.steps.iter().find(|(name, _)| *name == step);
        let found = run.task().step.as_deref().map_or(self.steps.first(), at);
        match found {
            Some((_, call)) => call(run).await,
            None => Outcome::Fail(self.unknown(run.task().step.as_deref().unwrap_or_default())),
        }
    }

    fn unknown(&self, step: &str) -> String {
        let known: Vec<&str> = self.steps.iter().map(|(name, _)| *name).collect();
        format!("unknown step `{step}` of `{}` (known: {})", self.kind, known.join(", "))
    }
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let steps: Vec<&str> = self.steps.iter().map(|(name, _)| *name).collect();
        out.debug_struct("Machine").field("kind", &self.kind).field("steps", &steps).finish()
    }
}
