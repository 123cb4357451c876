//! Runs in logs and traces: the span that a run is polled in, and its place in its task's trace.

use crate::new::New;
use crate::run::Run;
use steadfast_core::{Fence, Task, TraceContext};
use tracing::Span;
use tracing::field::Empty;

/// The span of a run: every log line below it has the task, its kind and the attempt, and the trace if there is one.
pub(crate) fn span(task: &Task, fence: Fence) -> Span {
    let (id, kind, attempt) = (task.id, &task.kind, task.attempt);
    let span = tracing::info_span!("run", task = %id, %kind, attempt, trace = Empty, span = Empty);
    if let Some(place) = TraceContext::of(&task.context) {
        span.record("trace", place.trace_id());
        span.record("span", place.of_run(fence).span_id());
    }
    span
}

impl Run {
    /// The place of this run in its task's trace: the trace of the `traceparent` in the context, with a span of the
    /// run's own. Calls to other services name it as their parent; tasks that the run adds have it already.
    pub fn trace(&self) -> Option<TraceContext> {
        TraceContext::of(&self.task().context).map(|place| place.of_run(self.token()))
    }
}

impl New {
    /// At this place of a trace: the `traceparent` of its context, unless it has one.
    pub fn trace(self, place: TraceContext) -> Self {
        match self.context_of(TraceContext::PARENT) {
            Some(_) => self,
            None => self.context(TraceContext::PARENT, place.to_string()),
        }
    }
}
