//! Buckets that an operator paused.

use super::{Case, case};
use crate::ground::{Ground, expect};
use steadfast_core::seam::Finished;
use steadfast_core::{Bucket, Retention, To};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(nothing_is_grabbed_from_a_paused_bucket),
        case(a_released_bucket_is_grabbed_from_again),
        case(a_paused_bucket_stays_in_no_other_buckets_way),
        case(what_runs_in_a_paused_bucket_may_finish),
        case(paused_buckets_are_listed_in_order_of_their_names),
        case(the_store_says_what_time_it_is),
        case(a_fresh_store_is_in_good_health),
    ]
}

async fn pause(ground: &Ground, bucket: &Bucket, paused: bool) {
    expect(ground.store.pause_bucket(bucket.clone(), paused)).await;
}

async fn nothing_is_grabbed_from_a_paused_bucket(ground: Ground) {
    let worker = ground.worker().await;
    ground.add_n("mail", 2).await;
    pause(&ground, &Bucket::default(), true).await;
    assert!(ground.grab(worker, "mail", 2).await.is_empty());
    // A repeat is harmless.
    pause(&ground, &Bucket::default(), true).await;
    assert!(ground.grab(worker, "mail", 2).await.is_empty());
    assert!(ground.grab(worker, "mail", 1).await.is_empty());
}

async fn a_released_bucket_is_grabbed_from_again(ground: Ground) {
    let worker = ground.worker().await;
    ground.add_n("mail", 2).await;
    pause(&ground, &Bucket::default(), true).await;
    pause(&ground, &Bucket::default(), false).await;
    assert_eq!(ground.grab(worker, "mail", 2).await.len(), 2);
    pause(&ground, &Bucket::default(), false).await;
    assert!(expect(ground.store.paused_buckets()).await.is_empty());
}

async fn a_paused_bucket_stays_in_no_other_buckets_way(ground: Ground) {
    let worker = ground.worker().await;
    ground.add_n("mail", 1).await;
    pause(&ground, &Bucket::new("elsewhere").unwrap(), true).await;
    assert_eq!(ground.grab(worker, "mail", 1).await.len(), 1);
}

async fn what_runs_in_a_paused_bucket_may_finish(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    pause(&ground, &Bucket::default(), true).await;
    assert_ne!(ground.end(&task, To::Done(Retention::Delete)).await, Finished::Lost);
    assert!(expect(ground.store.held(worker)).await.is_empty());
}

async fn paused_buckets_are_listed_in_order_of_their_names(ground: Ground) {
    let names = ["b", "größe", "a'; drop table x; --"].map(|name| Bucket::new(name).unwrap());
    for bucket in &names {
        pause(&ground, bucket, true).await;
    }
    let mut wanted = names.to_vec();
    wanted.sort();
    assert_eq!(expect(ground.store.paused_buckets()).await, wanted);
}

async fn the_store_says_what_time_it_is(ground: Ground) {
    assert_eq!(expect(ground.store.now()).await, ground.now());
    ground.pass_s(7);
    assert_eq!(expect(ground.store.now()).await, ground.now());
}

async fn a_fresh_store_is_in_good_health(ground: Ground) {
    let findings = expect(ground.store.check()).await;
    assert!(!findings.is_empty());
    assert!(findings.iter().all(|finding| finding.level < steadfast_core::Level::Bad), "{findings:?}");
}
