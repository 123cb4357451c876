//! Calls that meet on the same rows: nobody fails for it, and nothing is done twice.

use super::{Case, case};
use crate::ground::Ground;
use crate::random::Random;
use crate::words::done;
use steadfast_core::seam::{Add, Finished};
use steadfast_core::{Key, NewTask, Retention};

/// Tasks in each batch, and batches at once.
const TASKS: usize = 40;
const BATCHES: u64 = 8;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(overlapping_adds_in_any_order_name_each_key_once),
        case(overlapping_finishes_in_any_order_end_each_run_once),
    ]
}

/// The same things in another order each time.
fn shuffled<T: Clone>(things: &[T], seed: u64) -> Vec<T> {
    let (mut left, mut random) = (things.to_vec(), Random::new(seed));
    (0..left.len()).map(|_| left.swap_remove(random.below(left.len()))).collect()
}

async fn overlapping_adds_in_any_order_name_each_key_once(ground: Ground) {
    let keys: Vec<Key> = (0..TASKS).map(|n| Key::key(format!("key {n}"))).collect();
    let mut calls = Vec::new();
    for seed in 0..BATCHES {
        let keyed = |key| NewTask { key: Some(key), ..ground.task("mail") };
        let tasks = shuffled(&keys, seed).into_iter().map(keyed).collect();
        let store = ground.store.clone();
        calls.push(tokio::spawn(async move { store.add(Add { tasks, ..Add::default() }).await }));
    }
    let mut fresh = 0;
    for call in calls {
        fresh += call.await.unwrap().unwrap().added.iter().filter(|added| added.fresh).count();
    }
    assert_eq!(fresh, TASKS);
}

async fn overlapping_finishes_in_any_order_end_each_run_once(ground: Ground) {
    ground.add_n("mail", TASKS).await;
    let running = ground.grab(ground.worker().await, "mail", TASKS).await;
    let mut calls = Vec::new();
    for seed in 0..BATCHES {
        let running = shuffled(&running, seed);
        let mut finishes: Vec<_> = running.iter().map(|task| done(task, Retention::History)).collect();
        // A store may have a short way for runs that change nothing but their status.
        for finish in finishes.iter_mut().filter(|_| seed % 2 == 0) {
            finish.change.step = Some("last".into());
        }
        let store = ground.store.clone();
        calls.push(tokio::spawn(async move { store.finish(finishes).await }));
    }
    let mut accepted = 0;
    for call in calls {
        accepted += call.await.unwrap().unwrap().iter().filter(|answer| **answer != Finished::Lost).count();
    }
    assert_eq!(accepted, TASKS);
}
