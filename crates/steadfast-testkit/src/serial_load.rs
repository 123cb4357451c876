//! Many callers add to one serial key while two workers take turns at it.

use std::sync::{Arc, Mutex};
use steadfast::{Builder, Engine, Filter, Handler, New, Policy, Retention, Run};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// Callers who add at once.
const CALLERS: usize = 16;

/// What runs of the key saw.
#[derive(Default)]
struct Turns {
    running: bool,
    last: i64,
}

impl Turns {
    fn begin(&mut self, seq: i64) {
        assert!(!self.running, "two at once");
        assert!(seq > self.last, "{seq} after {}", self.last);
        (self.running, self.last) = (true, seq);
    }
}

/// Adds `n` tasks under one key from 16 callers and runs them in the two workers that these builders make. Panics if two
/// run at once, if one comes before an earlier one, or if one is left.
pub async fn serial_load(builders: [Builder; 2], n: usize) {
    let (turns, (ended, mut ends)) = (Arc::new(Mutex::new(Turns::default())), unbounded_channel());
    let mut engines = Vec::new();
    for builder in builders {
        let engine = builder.register(handler(turns.clone(), ended.clone())).start().await;
        engines.push(engine.expect("the engine starts"));
    }
    let callers: Vec<_> =
        (0..CALLERS).map(|caller| tokio::spawn(call(engines[caller % 2].clone(), n / CALLERS))).collect();
    for _ in 0..n / CALLERS * CALLERS {
        ends.recv().await.expect("the workers live");
    }
    for caller in callers {
        caller.await.expect("the caller lives");
    }
    for engine in &engines {
        let _ = engine.drain().await.expect("a drain");
    }
    let left = engines[0].count(Filter::default()).await.expect("a count");
    assert!(left.is_empty() && ends.try_recv().is_err(), "left: {left:?}");
}

async fn call(engine: Engine, n: usize) {
    for _ in 0..n {
        engine.add(New::kind("turn", "").serial("account 1")).await.expect("it is added");
    }
}

fn handler(turns: Arc<Mutex<Turns>>, ended: UnboundedSender<()>) -> Handler {
    let mut policy = Policy::default();
    policy.retention = Retention::Delete;
    let handler = Handler::of("turn", move |run: Run| {
        let (turns, ended) = (turns.clone(), ended.clone());
        async move {
            turns.lock().unwrap().begin(run.task().seq);
            tokio::task::yield_now().await;
            turns.lock().unwrap().running = false;
            let _ = ended.send(());
        }
    });
    handler.policy(policy)
}
