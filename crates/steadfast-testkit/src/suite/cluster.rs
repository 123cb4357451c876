//! Limits across all workers.

use super::{Case, case};
use crate::ground::{Ground, expect, kind, s};
use steadfast_core::seam::{Eject, Finished, Grab};
use steadfast_core::{
    Bucket, ClusterLimit, ClusterPath, Demand, Guard, Lane, Priority, Retention, Task, To, When, WorkerId,
};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(no_more_are_taken_than_the_cluster_has_room_for),
        case(many_that_are_taken_at_once_all_count),
        case(runs_of_other_workers_count),
        case(a_run_that_ended_makes_room),
        case(a_run_that_was_given_back_makes_room),
        case(a_dead_workers_runs_count_until_they_are_reaped),
        case(a_parked_task_takes_no_room),
        case(a_parked_task_that_is_ejected_takes_room_again),
        case(kinds_that_name_one_limit_share_it),
        case(each_limit_of_a_tree_counts_what_is_below_it),
        case(a_limit_whose_name_begins_another_is_another),
        case(a_grab_without_limits_counts_nothing),
        case(a_task_that_ran_under_a_limit_and_runs_again_without_is_not_counted),
        case(room_is_shared_out_in_the_order_of_the_demands),
    ]
}

fn path(limits: &[(&str, u32)], kind_name: &str) -> Option<ClusterPath> {
    let limits: Vec<_> =
        limits.iter().map(|(name, max)| ClusterLimit { name: (*name).into(), max: *max }).collect();
    ClusterPath::of(&limits, &kind(kind_name))
}

fn demand(kind_name: &str, n: usize) -> Demand {
    Demand { kind: kind(kind_name), priority: Priority::default(), lane: Lane::Plain, n }
}

async fn grab_all(
    ground: &Ground,
    worker: WorkerId,
    demands: Vec<Demand>,
    under: Option<ClusterPath>,
) -> Vec<Task> {
    let demands = demands.into_iter().map(|demand| (demand, s(60))).collect();
    expect(ground.store.grab(Grab { worker, bucket: Bucket::default(), demands, under, durable: false }))
        .await
}

async fn grab(
    ground: &Ground,
    worker: WorkerId,
    kind_name: &str,
    n: usize,
    limits: &[(&str, u32)],
) -> Vec<Task> {
    grab_all(ground, worker, vec![demand(kind_name, n)], path(limits, kind_name)).await
}

async fn no_more_are_taken_than_the_cluster_has_room_for(ground: Ground) {
    let worker = ground.worker().await;
    ground.add_n("pay", 9).await;
    assert_eq!(grab(&ground, worker, "pay", 9, &[("bank", 5)]).await.len(), 5);
    assert!(grab(&ground, worker, "pay", 9, &[("bank", 5)]).await.is_empty());
}

async fn many_that_are_taken_at_once_all_count(ground: Ground) {
    let worker = ground.worker().await;
    ground.add_n("pay", 40).await;
    let taken = grab(&ground, worker, "pay", 40, &[("bank", 25)]).await;
    assert_eq!(taken.len(), 25);
    assert!(grab(&ground, worker, "pay", 40, &[("bank", 25)]).await.is_empty());
    for task in &taken {
        assert_ne!(ground.end(task, To::Done(Retention::Delete)).await, Finished::Lost);
    }
    assert_eq!(grab(&ground, worker, "pay", 40, &[("bank", 25)]).await.len(), 15);
}

async fn runs_of_other_workers_count(ground: Ground) {
    let (one, two) = (ground.worker().await, ground.worker().await);
    ground.add_n("pay", 9).await;
    assert_eq!(grab(&ground, one, "pay", 3, &[("bank", 5)]).await.len(), 3);
    assert_eq!(grab(&ground, two, "pay", 9, &[("bank", 5)]).await.len(), 2);
}

async fn a_run_that_ended_makes_room(ground: Ground) {
    let worker = ground.worker().await;
    ground.add_n("pay", 4).await;
    for task in grab(&ground, worker, "pay", 2, &[("bank", 2)]).await {
        assert_ne!(ground.end(&task, To::Done(Retention::History)).await, Finished::Lost);
    }
    assert_eq!(grab(&ground, worker, "pay", 9, &[("bank", 2)]).await.len(), 2);
}

async fn a_run_that_was_given_back_makes_room(ground: Ground) {
    let worker = ground.worker().await;
    ground.add_n("pay", 1).await;
    let tasks = grab(&ground, worker, "pay", 1, &[("bank", 1)]).await;
    assert_ne!(ground.end(&tasks[0], To::Run(When::Now)).await, Finished::Lost);
    assert_eq!(grab(&ground, worker, "pay", 1, &[("bank", 1)]).await.len(), 1);
}

async fn a_dead_workers_runs_count_until_they_are_reaped(ground: Ground) {
    let (one, two) = (ground.worker().await, ground.worker().await);
    ground.add_n("pay", 2).await;
    let lost = grab(&ground, one, "pay", 1, &[("bank", 1)]).await;
    expect(ground.store.retire(one)).await;
    assert!(grab(&ground, two, "pay", 1, &[("bank", 1)]).await.is_empty());
    assert_ne!(ground.end(&lost[0], To::Run(When::Now)).await, Finished::Lost);
    assert_eq!(grab(&ground, two, "pay", 2, &[("bank", 1)]).await.len(), 1);
}

async fn a_parked_task_takes_no_room(ground: Ground) {
    let worker = ground.worker().await;
    ground.add_n("pay", 2).await;
    let tasks = grab(&ground, worker, "pay", 1, &[("bank", 1)]).await;
    assert_ne!(ground.end(&tasks[0], To::Parked(When::After(s(60)))).await, Finished::Lost);
    assert_eq!(grab(&ground, worker, "pay", 1, &[("bank", 1)]).await.len(), 1);
}

async fn a_parked_task_that_is_ejected_takes_room_again(ground: Ground) {
    let worker = ground.worker().await;
    ground.add_n("pay", 4).await;
    let first = grab(&ground, worker, "pay", 1, &[("bank", 2)]).await.remove(0);
    assert_ne!(ground.end(&first, To::Parked(When::After(s(60)))).await, Finished::Lost);
    assert_eq!(grab(&ground, worker, "pay", 1, &[("bank", 2)]).await.len(), 1);
    let guard = Guard::Grant(first.grant);
    let eject = Eject { id: first.id, guard, worker, deadline: s(60), step: None, payload: None };
    assert!(expect(ground.store.eject(eject)).await.is_ok());
    assert!(grab(&ground, worker, "pay", 1, &[("bank", 2)]).await.is_empty());
}

async fn kinds_that_name_one_limit_share_it(ground: Ground) {
    let worker = ground.worker().await;
    ground.add_n("pay", 3).await;
    ground.add_n("refund", 3).await;
    assert_eq!(grab(&ground, worker, "pay", 2, &[("bank", 3)]).await.len(), 2);
    assert_eq!(grab(&ground, worker, "refund", 3, &[("bank", 3)]).await.len(), 1);
}

async fn each_limit_of_a_tree_counts_what_is_below_it(ground: Ground) {
    let worker = ground.worker().await;
    let tree = [("all", 5), ("pay", 4), ("*", 3)];
    for name in ["pay|A", "pay|B", "mail"] {
        ground.add_n(name, 9).await;
    }
    assert_eq!(grab(&ground, worker, "pay|A", 9, &tree).await.len(), 3, "three for each partner");
    assert_eq!(grab(&ground, worker, "pay|B", 9, &tree).await.len(), 1, "four payouts");
    assert_eq!(grab(&ground, worker, "mail", 9, &[("all", 5), ("mail", 9)]).await.len(), 1, "five in all");
}

async fn a_limit_whose_name_begins_another_is_another(ground: Ground) {
    let worker = ground.worker().await;
    ground.add_n("a", 1).await;
    ground.add_n("b", 1).await;
    assert_eq!(grab(&ground, worker, "b", 1, &[("payout", 1)]).await.len(), 1);
    assert_eq!(grab(&ground, worker, "a", 1, &[("pay", 1)]).await.len(), 1);
}

async fn a_grab_without_limits_counts_nothing(ground: Ground) {
    let worker = ground.worker().await;
    ground.add_n("pay", 4).await;
    assert_eq!(grab(&ground, worker, "pay", 2, &[]).await.len(), 2);
    assert_eq!(grab(&ground, worker, "pay", 9, &[("bank", 1)]).await.len(), 1);
}

async fn a_task_that_ran_under_a_limit_and_runs_again_without_is_not_counted(ground: Ground) {
    let worker = ground.worker().await;
    ground.add_n("pay", 1).await;
    let tasks = grab(&ground, worker, "pay", 1, &[("bank", 1)]).await;
    assert_ne!(ground.end(&tasks[0], To::Run(When::Now)).await, Finished::Lost);
    assert_eq!(grab(&ground, worker, "pay", 1, &[]).await.len(), 1);
    ground.add_n("pay", 1).await;
    assert_eq!(grab(&ground, worker, "pay", 1, &[("bank", 1)]).await.len(), 1);
}

async fn room_is_shared_out_in_the_order_of_the_demands(ground: Ground) {
    let worker = ground.worker().await;
    ground.add_n("pay", 3).await;
    ground.add_n("refund", 3).await;
    let demands = vec![demand("refund", 2), demand("pay", 2)];
    let tasks = grab_all(&ground, worker, demands, path(&[("bank", 3)], "pay")).await;
    let of = |name: &str| tasks.iter().filter(|task| task.kind.as_str() == name).count();
    assert_eq!((of("refund"), of("pay")), (2, 1));
}
