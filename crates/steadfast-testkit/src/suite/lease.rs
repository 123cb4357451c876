//! Workers and their leases.

use super::{Case, case};
use crate::ground::{Ground, expect, offer};
use steadfast_core::seam::{Register, Renewed, WorkerRow};
use steadfast_core::{Limit, Rate, Retention, To};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(a_worker_is_listed_as_it_registered),
        case(a_lease_begins_when_the_worker_registers),
        case(a_renew_moves_the_end_of_the_lease),
        case(a_renew_says_what_time_it_is_and_what_is_running),
        case(a_worker_that_never_registered_is_dead),
        case(a_worker_past_its_lease_lives_until_it_is_marked),
        case(a_worker_marked_dead_stays_dead),
        case(a_sweep_marks_only_those_whose_lease_ended),
        case(a_retired_worker_is_dead_at_once),
        case(a_dead_worker_cannot_register_again_under_its_id),
        case(a_repeated_register_is_harmless),
    ]
}

/// Marks whoever is past the lease.
async fn sweep(ground: &Ground) {
    ground.strays(0).await;
}

async fn row(ground: &Ground, worker: steadfast_core::WorkerId) -> WorkerRow {
    let rows = expect(ground.store.workers()).await;
    rows.into_iter().find(|row| row.worker == worker).expect("a registered worker")
}

async fn a_worker_is_listed_as_it_registered(ground: Ground) {
    let worker = ground.stranger();
    let mut offer = offer(&["mail", "größe*"]);
    let rated = Limit::named("größe", 30).stretch(2, 20).rate(Rate::per_second(5).burst(3));
    offer.kinds[0].limits = vec![Limit::own(usize::MAX), rated, Limit::each(3)];
    offer.kinds[1].booked = true;
    let register = Register {
        worker,
        name: "höst\u{1f980}".into(),
        build: -7,
        offer: offer.clone(),
        lease: Ground::LEASE,
    };
    assert_eq!(expect(ground.store.register(register)).await, ground.now());
    let lease_until = ground.now().after(Ground::LEASE);
    let wanted =
        WorkerRow { worker, name: "höst\u{1f980}".into(), build: -7, offer, lease_until, dead: false };
    assert_eq!(expect(ground.store.workers()).await, [wanted]);
}

async fn a_lease_begins_when_the_worker_registers(ground: Ground) {
    let worker = ground.worker().await;
    assert_eq!(row(&ground, worker).await.lease_until, ground.now().after(Ground::LEASE));
}

// L-05, L-23.
async fn a_renew_moves_the_end_of_the_lease(ground: Ground) {
    let worker = ground.worker().await;
    ground.pass_s(10);
    assert_ne!(ground.renew(worker, Vec::new()).await, Renewed::Dead);
    assert_eq!(row(&ground, worker).await.lease_until, ground.now().after(Ground::LEASE));
    ground.pass_s(10);
    sweep(&ground).await;
    assert!(!row(&ground, worker).await.dead);
}

async fn a_renew_says_what_time_it_is_and_what_is_running(ground: Ground) {
    let worker = ground.worker().await;
    ground.parked(worker).await;
    let first = ground.running(worker).await;
    ground.running(worker).await;
    ground.running(ground.worker().await).await;
    let alive = |running| Renewed::Alive { now: ground.now(), recalls: Vec::new(), running };
    assert_eq!(ground.renew(worker, Vec::new()).await, alive(2));
    let _ = ground.end(&first, To::Done(Retention::History)).await;
    assert_eq!(ground.renew(worker, Vec::new()).await, alive(1));
}

async fn a_worker_that_never_registered_is_dead(ground: Ground) {
    assert_eq!(ground.renew(ground.stranger(), Vec::new()).await, Renewed::Dead);
    assert!(expect(ground.store.workers()).await.is_empty());
}

async fn a_worker_past_its_lease_lives_until_it_is_marked(ground: Ground) {
    let worker = ground.worker().await;
    ground.pass_s(1000);
    assert_ne!(ground.renew(worker, Vec::new()).await, Renewed::Dead);
    sweep(&ground).await;
    assert_ne!(ground.renew(worker, Vec::new()).await, Renewed::Dead);
}

// L-22.
async fn a_worker_marked_dead_stays_dead(ground: Ground) {
    let worker = ground.worker().await;
    ground.pass_s(16);
    sweep(&ground).await;
    let dead = row(&ground, worker).await;
    assert!(dead.dead);
    assert_eq!(ground.renew(worker, Vec::new()).await, Renewed::Dead);
    assert_eq!(row(&ground, worker).await, dead);
}

async fn a_sweep_marks_only_those_whose_lease_ended(ground: Ground) {
    let old = ground.worker().await;
    ground.clock.pass(Ground::LEASE);
    sweep(&ground).await;
    assert!(!row(&ground, old).await.dead, "a lease holds up to its very end");
    let young = ground.worker().await;
    ground.pass_s(1);
    sweep(&ground).await;
    assert_eq!((row(&ground, old).await.dead, row(&ground, young).await.dead), (true, false));
}

async fn a_retired_worker_is_dead_at_once(ground: Ground) {
    let (worker, other) = (ground.worker().await, ground.worker().await);
    expect(ground.store.retire(worker)).await;
    assert_eq!(ground.renew(worker, Vec::new()).await, Renewed::Dead);
    assert_ne!(ground.renew(other, Vec::new()).await, Renewed::Dead);
    expect(ground.store.retire(ground.stranger())).await;
}

async fn a_dead_worker_cannot_register_again_under_its_id(ground: Ground) {
    let worker = ground.worker().await;
    expect(ground.store.retire(worker)).await;
    ground.register(worker, 1).await;
    assert_eq!(ground.renew(worker, Vec::new()).await, Renewed::Dead);
}

async fn a_repeated_register_is_harmless(ground: Ground) {
    let worker = ground.worker().await;
    ground.register(worker, 1).await;
    assert_eq!(expect(ground.store.workers()).await.len(), 1);
    assert_ne!(ground.renew(worker, Vec::new()).await, Renewed::Dead);
}
