//! Removing what is past its time.

use super::{Case, case};
use crate::ground::{Ground, expect, s};
use steadfast_core::seam::{Clean, Cleaned};
use steadfast_core::{Deed, Key, NewTask, Retention, Task, To};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(cleaning_an_empty_store_removes_nothing),
        case(old_history_goes_and_young_history_stays),
        case(living_tasks_are_never_cleaned),
        case(keys_past_their_window_go),
        case(keys_of_living_tasks_stay),
        case(old_receipts_go),
        case(dead_workers_go_when_their_time_is_over),
        case(live_workers_stay_however_old),
        case(a_dead_worker_that_holds_a_run_stays),
        case(recalls_of_workers_that_are_gone_go),
        case(recalls_of_live_workers_stay),
        case(a_clean_removes_no_more_of_each_sort_than_it_was_told),
    ]
}

async fn clean_n(ground: &Ground, n_max: usize) -> Cleaned {
    expect(ground.store.clean(Clean { history: s(100), receipts: s(100), workers: s(100), n_max })).await
}

async fn clean(ground: &Ground) -> Cleaned {
    clean_n(ground, 100).await
}

async fn done(ground: &Ground, key: Option<Key>) -> Task {
    let new = NewTask { key, key_window: s(50), ..ground.task("mail") };
    let task = ground.running_as(ground.stranger(), new).await;
    let _ = ground.end(&task, To::Done(Retention::History)).await;
    task
}

async fn cleaning_an_empty_store_removes_nothing(ground: Ground) {
    assert_eq!(clean(&ground).await, Cleaned::default());
}

async fn old_history_goes_and_young_history_stays(ground: Ground) {
    let old = done(&ground, None).await;
    ground.pass_s(60);
    let young = done(&ground, None).await;
    assert_eq!(clean(&ground).await.history, 0);
    ground.pass_s(60);
    assert_eq!(clean(&ground).await.history, 1);
    assert_eq!(ground.find(old.id).await, None);
    assert!(ground.find(young.id).await.is_some());
}

async fn living_tasks_are_never_cleaned(ground: Ground) {
    let worker = ground.worker().await;
    let error = ground.running(worker).await;
    let _ = ground.end(&error, To::Error).await;
    let parked = ground.parked(worker).await;
    let running = ground.running(worker).await;
    let ready = ground.add(ground.task("mail")).await;
    ground.pass_s(1_000_000);
    assert_eq!(clean(&ground).await.history, 0);
    for id in [error.id, parked.id, running.id, ready] {
        assert!(ground.find(id).await.is_some());
    }
}

async fn keys_past_their_window_go(ground: Ground) {
    done(&ground, Some(Key::key("a"))).await;
    assert_eq!(clean(&ground).await.keys, 0);
    ground.pass_s(51);
    assert_eq!(clean(&ground).await.keys, 1);
    assert_eq!(clean(&ground).await.keys, 0);
}

async fn keys_of_living_tasks_stay(ground: Ground) {
    let id = ground.add(NewTask { key: Some(Key::key("a")), ..ground.task("mail") }).await;
    ground.pass_s(1_000_000);
    assert_eq!(clean(&ground).await.keys, 0);
    assert_eq!(expect(ground.store.look_up(Key::key("a"))).await, Some(id));
}

async fn old_receipts_go(ground: Ground) {
    expect(ground.store.settle(ground.receipt())).await;
    ground.pass_s(60);
    expect(ground.store.settle(ground.receipt())).await;
    ground.pass_s(60);
    assert_eq!(clean(&ground).await.receipts, 1);
}

async fn dead_workers_go_when_their_time_is_over(ground: Ground) {
    let worker = ground.worker().await;
    expect(ground.store.retire(worker)).await;
    ground.pass_s(60);
    assert_eq!(clean(&ground).await.workers, 0);
    ground.pass_s(60);
    assert_eq!(clean(&ground).await.workers, 1);
    assert!(expect(ground.store.workers()).await.is_empty());
}

async fn live_workers_stay_however_old(ground: Ground) {
    ground.worker().await;
    ground.pass_s(1_000_000);
    assert_eq!(clean(&ground).await.workers, 0);
}

async fn a_dead_worker_that_holds_a_run_stays(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    expect(ground.store.retire(worker)).await;
    ground.pass_s(1000);
    assert_eq!(clean(&ground).await.workers, 0);
    let _ = ground.end(&task, To::Error).await;
    assert_eq!(clean(&ground).await.workers, 1);
}

async fn recalls_of_workers_that_are_gone_go(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    ground.act(task.id, Deed::Pause).await.unwrap();
    expect(ground.store.retire(worker)).await;
    ground.pass_s(1000);
    // A store may look for them before or after it removes the worker: the second clean finds the rest.
    let recalls = clean(&ground).await.recalls + clean(&ground).await.recalls;
    assert_eq!(recalls, 1);
}

async fn recalls_of_live_workers_stay(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    ground.act(task.id, Deed::Pause).await.unwrap();
    ground.pass_s(1000);
    assert_eq!(clean(&ground).await.recalls, 0);
    assert_eq!(ground.recalls(worker).await.len(), 1);
}

// DA-19.
async fn a_clean_removes_no_more_of_each_sort_than_it_was_told(ground: Ground) {
    for n in 0..5 {
        done(&ground, Some(Key::key(format!("key {n}")))).await;
        expect(ground.store.settle(ground.receipt())).await;
        let worker = ground.worker().await;
        let task = ground.running(worker).await;
        ground.act(task.id, Deed::Cancel).await.unwrap();
        expect(ground.store.retire(worker)).await;
    }
    ground.pass_s(1000);
    let mut sum = Cleaned::default();
    for _ in 0..10 {
        let cleaned = clean_n(&ground, 2).await;
        let parts = [cleaned.history, cleaned.keys, cleaned.receipts, cleaned.workers, cleaned.recalls];
        assert!(parts.into_iter().all(|n| n <= 2), "{cleaned:?}");
        sum.history += cleaned.history;
        sum.keys += cleaned.keys;
        sum.receipts += cleaned.receipts;
        sum.workers += cleaned.workers;
        sum.recalls += cleaned.recalls;
    }
    assert_eq!(sum, Cleaned { history: 10, keys: 5, receipts: 5, workers: 5, recalls: 5 });
}
