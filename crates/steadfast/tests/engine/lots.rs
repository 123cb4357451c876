//! Runs that start together: they share threads and nothing else.

use super::common::{builder, store};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use steadfast::memory::MemoryStore;
use steadfast::{Builder, Handler, New, Run};
use tokio::sync::{Barrier, mpsc};

/// Tasks of one lot.
const N: usize = 20;
/// For broken code; nothing depends on it.
const PATIENCE: Duration = Duration::from_secs(20);

/// An engine to be, with tasks that are ready before it starts: it grabs them together.
async fn loaded(store: &Arc<MemoryStore>) -> Builder {
    let adder = builder(store).start().await.unwrap();
    adder.add_many((0..N).map(|n| New::json("one", &n))).await.unwrap();
    builder(store)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_holds_its_thread_holds_up_nobody_who_started_with_it() {
    let store = store();
    let ran = Arc::new((Mutex::new(0), Condvar::new()));
    let (told, mut ends) = mpsc::unbounded_channel();
    let handler = Handler::of("one", move |run: Run| {
        let (ran, told) = (ran.clone(), told.clone());
        async move {
            let (count, more) = &*ran;
            let mut n = count.lock().unwrap();
            *n += 1;
            more.notify_all();
            // The first of them goes on when all others have been here.
            if run.payload::<usize>().unwrap() == 0 {
                let (_n, late) = more.wait_timeout_while(n, PATIENCE, |n| *n < N).unwrap();
                assert!(!late.timed_out(), "the others wait for this one");
            }
            told.send(()).unwrap();
        }
    });
    let engine = loaded(&store).await.register(handler).start().await.unwrap();
    for _ in 0..N {
        ends.recv().await.unwrap();
    }
    assert_eq!(engine.drain().await.unwrap().left_behind, 0);
}

#[tokio::test]
async fn runs_that_wait_for_each_other_all_get_as_far_as_that() {
    let store = store();
    let all = Arc::new(Barrier::new(N));
    let (told, mut ends) = mpsc::unbounded_channel();
    let handler = Handler::of("one", move |_: Run| {
        let (all, told) = (all.clone(), told.clone());
        async move {
            all.wait().await;
            told.send(()).unwrap();
        }
    });
    let engine = loaded(&store).await.register(handler).start().await.unwrap();
    for _ in 0..N {
        tokio::time::timeout(PATIENCE, ends.recv()).await.expect("nobody is held up").unwrap();
    }
    assert_eq!(engine.drain().await.unwrap().left_behind, 0);
}

#[tokio::test]
async fn a_panic_ends_its_own_run_and_no_other() {
    let store = store();
    let (told, mut ends) = mpsc::unbounded_channel();
    let handler = Handler::of("one", move |run: Run| {
        let told = told.clone();
        async move {
            assert!(run.payload::<usize>().unwrap().is_multiple_of(2), "odd");
            told.send(()).unwrap();
        }
    });
    let engine = loaded(&store).await.register(handler).start().await.unwrap();
    for _ in 0..N / 2 {
        tokio::time::timeout(PATIENCE, ends.recv()).await.expect("nobody is held up").unwrap();
    }
    assert_eq!(engine.drain().await.unwrap().left_behind, 0);
}
