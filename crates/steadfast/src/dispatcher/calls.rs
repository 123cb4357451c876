//! Calls to the store that are under way.
//!
//! They are the dispatcher's own, not tasks beside it: nobody else has to be woken for an answer, maybe on another
//! thread, and nothing comes between a call and the connection that carries it.

use super::Dispatcher;
use crate::news::News;
use crate::shared::Shared;
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::task::{Context, Poll, Waker};
use steadfast_core::seam::Future;

/// What they bring, each once.
#[derive(Default)]
pub(crate) struct Calls(FuturesUnordered<Future<News>>);

impl Calls {
    /// The next answer; never, if nothing is under way.
    pub(crate) async fn next(&mut self) -> News {
        match self.0.next().await {
            Some(news) => news,
            None => std::future::pending().await,
        }
    }

    /// An answer that is there already.
    pub(crate) fn try_next(&mut self) -> Option<News> {
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
