//! Runs that start together.
//!
//! Most runs end at their first poll, or wait for something outside. A task of its own for each costs more than such a
//! run itself, so a few helpers, one a thread, take the runs of a lot one after the other. A run that does not end at once
//! gets its own task then. So do the next runs of a handler that held a thread for long: whoever does that must not stand
//! in the way of its neighbours.

use crate::dispatcher::yield_once;
use crate::handler::Handler;
use crate::news::News;
use crate::runner::{self, End};
use crate::shared::Shared;
use crate::trace;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;
use steadfast_core::seam::Future;
use steadfast_core::{Fence, Task};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

/// How long a helper goes on before it lets others have their turn.
const TURN_MAX: Duration = Duration::from_micros(200);
/// How long ends are kept at most to be told with those of the rest: they are finished together then.
const KEPT_MAX: Duration = Duration::from_millis(20);
/// Whoever holds a thread for longer at its first poll is not taken into a lot for a while.
const QUICK_MAX: Duration = Duration::from_millis(10);

/// A run that is about to start.
pub(crate) struct Start {
    pub(crate) handler: Arc<Handler>,
    pub(crate) task: Box<Task>,
    pub(crate) fence: Fence,
    pub(crate) cancel: CancellationToken,
}

/// What its helpers share: if one of them is held up in a run, the others go on with all the rest.
struct Lot {
    shared: Arc<Shared>,
    news: UnboundedSender<News>,
    waiting: Mutex<VecDeque<Start>>,
    /// Ends that were not told yet.
    ends: Mutex<Vec<(Fence, End)>>,
}

/// Starts runs: those that may go together in a lot, all others by themselves.
pub(crate) fn launch(shared: &Arc<Shared>, news: &UnboundedSender<News>, starts: &mut Vec<Start>) {
    if starts.len() == 1 {
        starts.drain(..).for_each(|start| alone(shared, news, start));
        return;
    }
    let mut together = VecDeque::with_capacity(starts.len());
    for start in starts.drain(..) {
        if start.handler.joins() {
            together.push_back(start);
        } else {
            alone(shared, news, start);
        }
    }
    let helpers = together.len().min(shared.runtime.threads());
    let ends = Mutex::new(Vec::with_capacity(together.len()));
    let waiting = Mutex::new(together);
    let lot = Arc::new(Lot { shared: shared.clone(), news: news.clone(), waiting, ends });
    (0..helpers).for_each(|_| shared.spawn(help(lot.clone())));
}

/// A run in a task of its own.
fn alone(shared: &Arc<Shared>, news: &UnboundedSender<News>, start: Start) {
    let fence = start.fence;
    go_on(shared, news, fence, start.run(shared.clone()));
}

/// The rest of a run in a task of its own.
fn go_on(shared: &Shared, news: &UnboundedSender<News>, fence: Fence, run: Future<End>) {
    let news = news.clone();
    shared.spawn(async move {
        let end = run.await;
        let _ = news.send(News::Ended(vec![(fence, end)]));
    });
}

impl Start {
    fn run(self, shared: Arc<Shared>) -> Future<End> {
        let Self { handler, task, fence, cancel } = self;
        let span = trace::span(&task, fence);
        Box::pin(runner::run(shared, handler, task, fence, cancel).instrument(span))
    }
}

impl Lot {
    fn next(&self) -> Option<Start> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Keeps an end to be told with others.
    fn keep(&self, fence: Fence, end: End) {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner).push((fence, end));
    }

    fn tell(&self) {
        let ends = std::mem::take(&mut *self.ends.lock().unwrap_or_else(PoisonError::into_inner));
        if !ends.is_empty() {
            let _ = self.news.send(News::Ended(ends));
        }
    }
}

/// Takes runs until none is left. Between some of them others get their turn.
async fn help(lot: Arc<Lot>) {
    let mut began = lot.shared.now();
    let (mut turn_began, mut told_at) = (began, began);
    while let Some(start) = lot.next() {
        let (fence, handler) = (start.fence, start.handler.clone());
        let mut run = start.run(lot.shared.clone());
        match poll_once(&mut run).await {
            Poll::Ready(end) => lot.keep(fence, end),
            Poll::Pending => go_on(&lot.shared, &lot.news, fence, run),
        }
        let now = lot.shared.now();
        if now.saturating_sub(began) > QUICK_MAX {
            handler.stand_apart();
            std::iter::from_fn(|| lot.next()).for_each(|start| alone(&lot.shared, &lot.news, start));
        }
        began = now;
        if now.saturating_sub(told_at) > KEPT_MAX {
            lot.tell();
            told_at = now;
        }
        if now.saturating_sub(turn_began) > TURN_MAX {
            yield_once().await;
            began = lot.shared.now();
            turn_began = began;
        }
    }
    // The other helpers are at their last runs.
    yield_once().await;
    lot.tell();
}

async fn poll_once(run: &mut Future<End>) -> Poll<End> {
    std::future::poll_fn(|context| Poll::Ready(run.as_mut().poll(context))).await
}
