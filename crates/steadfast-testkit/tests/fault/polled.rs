//! Callers that stop waiting.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// Polls a future so many times and drops it then; its answer, if it was faster.
pub(crate) async fn polled<F: Future>(future: F, times: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut left = times;
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(answer) => Poll::Ready(Some(answer)),
        Poll::Pending => {
            left -= 1;
            if left == 0 { Poll::Ready(None) } else { Poll::Pending }
        }
    })
    .await
}
