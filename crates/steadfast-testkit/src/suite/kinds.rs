//! The policies of kinds.

use super::{Case, case};
use crate::ground::{Ground, expect, kind, s};
use steadfast_core::seam::KindRow;
use steadfast_core::{Bucket, Hang, Policy, Priority, Retention, WorkerId};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(a_declared_policy_comes_back),
        case(the_same_build_may_declare_again),
        case(a_newer_build_wins),
        case(an_older_build_does_not_win_over_a_living_one),
        case(an_older_build_wins_when_the_newer_ones_writer_is_dead),
        case(an_older_build_wins_when_the_newer_ones_writer_has_no_row),
        case(each_kind_of_a_program_has_its_own_fate),
        case(kinds_come_in_order_of_their_names),
    ]
}

/// A policy that can be told from others.
fn policy(seconds: u64) -> Policy {
    let mut policy = Policy::default();
    policy.deadline = s(seconds);
    policy
}

async fn declare(ground: &Ground, worker: WorkerId, build: i64, seconds: u64) {
    expect(ground.store.declare(worker, build, vec![(kind("mail"), policy(seconds))])).await;
}

/// The deadline in seconds that the only kind has now.
async fn declared(ground: &Ground) -> u64 {
    let rows = expect(ground.store.kinds()).await;
    assert_eq!(rows.len(), 1);
    rows[0].policy.deadline.as_secs()
}

async fn a_declared_policy_comes_back(ground: Ground) {
    assert!(expect(ground.store.kinds()).await.is_empty());
    let worker = ground.worker().await;
    let mut policy = Policy::default();
    policy.hang = Hang::Failed;
    policy.owner = Some("zahlungen".into());
    policy.criticality = Some("hoch".into());
    policy.lost_max = 3;
    policy.at_most_once = true;
    policy.retention = Retention::Bare;
    policy.key_window = s(5);
    policy.bucket = Bucket::new("wést").unwrap();
    policy.priority = Priority::LAST;
    expect(ground.store.declare(worker, 7, vec![(kind("größe|x"), policy.clone())])).await;
    let wanted = KindRow { kind: kind("größe|x"), policy, build: 7, worker };
    assert_eq!(expect(ground.store.kinds()).await, [wanted]);
}

async fn the_same_build_may_declare_again(ground: Ground) {
    declare(&ground, ground.worker().await, 1, 10).await;
    let worker = ground.worker().await;
    declare(&ground, worker, 1, 20).await;
    assert_eq!(declared(&ground).await, 20);
    assert_eq!(expect(ground.store.kinds()).await[0].worker, worker);
}

async fn a_newer_build_wins(ground: Ground) {
    declare(&ground, ground.worker().await, 1, 10).await;
    declare(&ground, ground.worker().await, 2, 20).await;
    assert_eq!(declared(&ground).await, 20);
}

async fn an_older_build_does_not_win_over_a_living_one(ground: Ground) {
    declare(&ground, ground.worker().await, 2, 20).await;
    let before = expect(ground.store.kinds()).await;
    declare(&ground, ground.worker().await, 1, 10).await;
    assert_eq!(expect(ground.store.kinds()).await, before);
}

async fn an_older_build_wins_when_the_newer_ones_writer_is_dead(ground: Ground) {
    let newer = ground.worker().await;
    declare(&ground, newer, 2, 20).await;
    expect(ground.store.retire(newer)).await;
    declare(&ground, ground.worker().await, 1, 10).await;
    assert_eq!(declared(&ground).await, 10);
}

async fn an_older_build_wins_when_the_newer_ones_writer_has_no_row(ground: Ground) {
    declare(&ground, ground.stranger(), 2, 20).await;
    declare(&ground, ground.worker().await, 1, 10).await;
    assert_eq!(declared(&ground).await, 10);
}

async fn each_kind_of_a_program_has_its_own_fate(ground: Ground) {
    declare(&ground, ground.worker().await, 5, 20).await;
    let kinds = vec![(kind("mail"), policy(10)), (kind("pay"), policy(10))];
    expect(ground.store.declare(ground.worker().await, 1, kinds)).await;
    let rows = expect(ground.store.kinds()).await;
    let seen: Vec<_> = rows.iter().map(|row| (row.kind.as_str(), row.policy.deadline.as_secs())).collect();
    assert_eq!(seen, [("mail", 20), ("pay", 10)]);
}

async fn kinds_come_in_order_of_their_names(ground: Ground) {
    let names = ["b", "a|2", "a", "B", "ä"];
    let kinds = names.iter().map(|name| (kind(name), Policy::default())).collect();
    expect(ground.store.declare(ground.worker().await, 1, kinds)).await;
    let rows = expect(ground.store.kinds()).await;
    let seen: Vec<_> = rows.iter().map(|row| row.kind.as_str()).collect();
    assert_eq!(seen, ["B", "a", "a|2", "b", "ä"]);
}
