//! Who is told of what comes due.

use super::common::store;
use std::sync::Arc;
use std::time::Duration;
use steadfast::core::seam::Ear;
use steadfast::core::{Hint, Hints};
use steadfast::{Builder, Engine, Handler, New, Run};
use steadfast_memory::MemoryStore;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Long enough that all are added before the first one is due.
const SOON: Duration = Duration::from_millis(200);

/// Passes hints on, and tells the test of them.
struct Overheard(Arc<MemoryStore>, UnboundedSender<Hint>);

impl Hints for Overheard {
    fn ring(&self, hint: Hint) {
        let _ = self.1.send(hint.clone());
        self.0.ring(hint);
    }

    fn listen(&self, ear: Ear) {
        self.0.listen(ear);
    }
}

/// An engine with one handler and so many slots, and what it rings.
async fn start(handler: Handler, slots: usize) -> (Engine, UnboundedReceiver<Hint>) {
    let (store, (rung, heard)) = (store(), unbounded_channel());
    let builder = Builder::on(store.clone(), Arc::new(Overheard(store, rung)));
    let engine = builder.configure(|config| config.slots = slots).register(handler).start().await.unwrap();
    (engine, heard)
}

/// Adds tasks that are due soon, and forgets what was rung for that.
async fn add_soon(engine: &Engine, kind: &str, n: usize, heard: &mut UnboundedReceiver<Hint>) {
    engine.add_many((0..n).map(|_| New::kind(kind, "").after(SOON))).await.unwrap();
    while heard.try_recv().is_ok() {}
}

/// The next ring that makes others look.
async fn look(heard: &mut UnboundedReceiver<Hint>) {
    while !matches!(heard.recv().await.unwrap(), Hint::Look { .. }) {}
}

#[tokio::test]
async fn nobody_else_is_told_of_due_tasks_that_are_taken_here() {
    let (ran, mut runs) = unbounded_channel();
    let handler = Handler::of("mail", move |_: Run| {
        let ran = ran.clone();
        async move { ran.send(()).unwrap() }
    });
    let (engine, mut heard) = start(handler, 100).await;
    add_soon(&engine, "mail", 50, &mut heard).await;
    for _ in 0..50 {
        runs.recv().await.unwrap();
    }
    let hints: Vec<Hint> = std::iter::from_fn(|| heard.try_recv().ok()).collect();
    assert!(hints.is_empty(), "{hints:?}");
}

#[tokio::test]
async fn others_are_told_of_due_tasks_for_which_there_is_no_room() {
    let (engine, mut heard) = start(Handler::of("mail", |_: Run| std::future::pending::<()>()), 1).await;
    add_soon(&engine, "mail", 2, &mut heard).await;
    look(&mut heard).await;
}

#[tokio::test]
async fn others_are_told_of_due_tasks_that_nobody_handles_here() {
    let (engine, mut heard) = start(Handler::of("mail", |_: Run| async {}), 1).await;
    add_soon(&engine, "page", 1, &mut heard).await;
    look(&mut heard).await;
}
