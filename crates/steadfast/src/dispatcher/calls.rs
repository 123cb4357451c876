//! Calls to the store that are under way.
//!
//! They are the dispatcher's own, not tasks beside it: nobody else has to be woken for an answer, maybe on another
//! thread, and nothing comes between a call and the connection that carries it.

use super::Dispatcher;
use crate::news::News;
use crate::shared::Shared;
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};
use steadfast_core::seam::Future;

/// What they bring, each once.
#[derive(Default)]
pub(crate) struct Calls(FuturesUnordered<Future<News>>);

impl Calls {
    /// The next answer; never, if nothing is under way.
    ///
    /// What was just begun is asked first, as if nobody waited: the set wants to be asked again whenever it has gone
    /// through all that it holds, which for one call is always. Each time another thread would be woken to help.
    pub(crate) async fn next(&mut self) -> News {
        poll_fn(|context| match self.try_next() {
            Some(news) => Poll::Ready(news),
            None if self.0.is_empty() => Poll::Pending,
            None => match self.0.poll_next_unpin(context) {
                Poll::Ready(Some(news)) => Poll::Ready(news),
                Poll::Ready(None) | Poll::Pending => Poll::Pending,
            },
        })
        .await
    }

    /// An answer that is there already.
    pub(crate) fn try_next(&mut self) -> Option<News> {
        if self.0.is_empty() {
            return None;
        }
        // Whoever waits asks again, and leaves word where to be woken.
        match self.0.poll_next_unpin(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(news) => news,
            Poll::Pending => None,
        }
    }

    /// Lets them end although nobody waits for their answers: none is ever broken off.
    pub(crate) fn leave(mut self, shared: &Shared) {
        if !self.0.is_empty() {
            shared.spawn(async move { while self.0.next().await.is_some() {} });
        }
    }
}

impl Dispatcher {
    /// Starts a call at once: a store takes it when it is first asked for the answer.
    pub(crate) fn call(&mut self, call: impl std::future::Future<Output = News> + Send + 'static) {
        let mut call: Future<News> = Box::pin(call);
        match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(news) => drop(self.news.send(news)),
            Poll::Pending => self.calls.0.push(call),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future as _;
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;
    use tokio::sync::oneshot;

    #[derive(Default)]
    struct Counted(AtomicUsize);

    impl Wake for Counted {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn whoever_waits_is_woken_by_an_answer_and_by_nothing_else() {
        let (mut calls, mut answers) = (Calls::default(), Vec::new());
        for _ in 0..3 {
            let (answer, answered) = oneshot::channel::<News>();
            calls.0.push(Box::pin(async move { answered.await.unwrap_or(News::AskDue) }));
            answers.push(answer);
        }
        let counted = Arc::new(Counted::default());
        let (waker, woken) = (counted.clone().into(), || counted.0.load(Ordering::Relaxed));
        for (n, answer) in answers.into_iter().enumerate() {
            {
                let mut next = pin!(calls.next());
                assert!(next.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
                assert_eq!(woken(), n);
            }
            assert!(answer.send(News::HoldOver).is_ok());
            assert_eq!(woken(), n + 1);
            let next = pin!(calls.next());
            assert!(matches!(next.poll(&mut Context::from_waker(&waker)), Poll::Ready(News::HoldOver)));
        }
    }
}
