//! Taking what is ready.

use super::{Case, case};
use crate::ground::{Ground, demand, expect, ids, in_s, kind, s, to};
use std::collections::BTreeSet;
use steadfast_core::limit::PAYLOAD_INLINE_BYTES_MAX;
use steadfast_core::seam::{Cause, Grab};
use steadfast_core::{
    Bucket, Change, Deed, Demand, Lane, NewTask, Payload, Priority, Status, Task, TaskId, To, When, WorkerId,
};

/// How many are asked for where it makes no difference: a store may have a quicker way for one.
const SIZES: [usize; 2] = [1, 9];

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(a_grabbed_task_is_running_in_the_hands_of_the_worker),
        case(a_second_worker_cannot_grab_the_same_task),
        case(a_grab_takes_no_more_than_was_asked_for),
        case(a_grab_of_nothing_takes_nothing),
        case(what_became_ready_first_is_taken_first),
        case(a_retry_does_not_go_ahead_of_what_waited_longer),
        case(a_task_scheduled_long_ago_goes_by_its_due_time),
        case(a_grab_keeps_to_its_bucket),
        case(a_grab_keeps_to_its_kind_and_priority),
        case(a_kind_with_a_suffix_is_a_kind_of_its_own),
        case(one_grab_meets_several_demands),
        case(each_demand_has_a_deadline_of_its_own),
        case(only_ready_tasks_are_grabbed),
        case(a_large_payload_is_left_out_of_the_grab),
        case(a_suspect_is_taken_only_by_its_own_lane),
        case(a_grant_rises_with_every_grab),
        case(a_worker_holds_what_it_grabbed),
        case(racing_workers_share_out_the_tasks),
    ]
}

// DA-06.
async fn a_grabbed_task_is_running_in_the_hands_of_the_worker(ground: Ground) {
    let worker = ground.worker().await;
    let mut wanted = ground.get(ground.add(ground.task("mail")).await).await;
    ground.pass_s(1);
    wanted.granted(worker, Ground::DEADLINE, ground.now());
    assert_eq!(ground.grab(worker, "mail", 1).await, [wanted.clone()]);
    assert_eq!(ground.get(wanted.id).await, wanted);
    assert_eq!((wanted.status, wanted.grant.get(), wanted.attempt), (Status::Running, 1, 1));
}

async fn a_second_worker_cannot_grab_the_same_task(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    assert!(is_empty_handed(&ground, "mail").await);
    assert_eq!(ground.get(task.id).await, task);
}

// M-07.
async fn a_grab_takes_no_more_than_was_asked_for(ground: Ground) {
    ground.add_n("mail", 5).await;
    let worker = ground.worker().await;
    assert_eq!(ground.grab(worker, "mail", 3).await.len(), 3);
    assert_eq!(ground.grab(worker, "mail", 3).await.len(), 2);
    assert_eq!(ground.grab(worker, "mail", 3).await.len(), 0);
}

async fn a_grab_of_nothing_takes_nothing(ground: Ground) {
    ground.add_n("mail", 1).await;
    let worker = ground.worker().await;
    assert!(ground.grab(worker, "mail", 0).await.is_empty());
    assert!(ground.grab_demands(worker, &Bucket::default(), Vec::new()).await.is_empty());
}

// L-02.
async fn what_became_ready_first_is_taken_first(ground: Ground) {
    let older = ground.add_n("mail", 3).await;
    ground.pass_s(1);
    let newer = ground.add_n("mail", 3).await;
    let worker = ground.worker().await;
    assert_eq!(ids(&ground.grab(worker, "mail", 2).await), older[..2]);
    assert_eq!(ids(&ground.grab(worker, "mail", 2).await), [older[2], newer[0]]);
    assert_eq!(ids(&ground.grab(worker, "mail", 2).await), newer[1..]);
}

async fn a_retry_does_not_go_ahead_of_what_waited_longer(ground: Ground) {
    let worker = ground.worker().await;
    let first = ground.running(worker).await;
    let second = ground.add(ground.task("mail")).await;
    ground.pass_s(1);
    let _ = ground.end(&first, To::Run(When::Now)).await;
    assert_eq!(ground.grab_one(worker, "mail").await.id, second);
    assert_eq!(ground.grab_one(worker, "mail").await.id, first.id);
}

async fn a_task_scheduled_long_ago_goes_by_its_due_time(ground: Ground) {
    let worker = ground.worker().await;
    let late = ground.add(NewTask { when: in_s(20), ..ground.task("mail") }).await;
    ground.pass_s(10);
    let early = ground.add(ground.task("mail")).await;
    ground.pass_s(11);
    let last = ground.add(ground.task("mail")).await;
    expect(ground.store.due(10)).await;
    for id in [early, late, last] {
        assert_eq!(ground.grab_one(worker, "mail").await.id, id);
    }
}

async fn a_grab_keeps_to_its_bucket(ground: Ground) {
    let west = Bucket::new("west").unwrap();
    let worker = ground.worker().await;
    for n in SIZES {
        let there = ground.add(NewTask { bucket: west.clone(), ..ground.task("mail") }).await;
        assert!(ground.grab(worker, "mail", n).await.is_empty());
        let here = ground.add(ground.task("mail")).await;
        assert_eq!(ids(&ground.grab(worker, "mail", n).await), [here]);
        assert_eq!(ids(&ground.grab_demands(worker, &west, vec![demand("mail", n)]).await), [there]);
    }
}

async fn a_grab_keeps_to_its_kind_and_priority(ground: Ground) {
    ground.add(ground.task("pay")).await;
    ground.add(NewTask { priority: Priority::URGENT, ..ground.task("mail") }).await;
    assert!(is_empty_handed(&ground, "mail").await);
}

async fn a_kind_with_a_suffix_is_a_kind_of_its_own(ground: Ground) {
    let id = ground.add(ground.task("pay|partner")).await;
    assert!(is_empty_handed(&ground, "pay").await);
    assert_eq!(ground.grab_one(ground.worker().await, "pay|partner").await.id, id);
}

async fn one_grab_meets_several_demands(ground: Ground) {
    let mails = ground.add_n("mail", 3).await;
    let urgent = ground.add(NewTask { priority: Priority::URGENT, ..ground.task("mail") }).await;
    let pays = ground.add_n("pay", 1).await;
    let most_urgent = Demand { priority: Priority::URGENT, ..demand("mail", 2) };
    let demands = vec![demand("mail", 2), most_urgent, demand("pay", 5), demand("none", 5)];
    let grabbed = ground.grab_demands(ground.worker().await, &Bucket::default(), demands).await;
    assert_eq!(ids(&grabbed), [mails[0], mails[1], urgent, pays[0]]);
}

async fn each_demand_has_a_deadline_of_its_own(ground: Ground) {
    let ids = [ground.add(ground.task("mail")).await, ground.add(ground.task("pay")).await];
    let demands = vec![(demand("mail", 1), s(10)), (demand("pay", 1), s(20))];
    let grab = Grab {
        worker: ground.worker().await,
        bucket: Bucket::default(),
        demands,
        under: None,
        durable: false,
    };
    assert_eq!(expect(ground.store.grab(grab)).await.len(), 2);
    for (id, seconds) in ids.into_iter().zip([10, 20]) {
        assert_eq!(ground.get(id).await.deadline_at, Some(ground.now().after(s(seconds))));
    }
}

// M-20.
async fn only_ready_tasks_are_grabbed(ground: Ground) {
    let worker = ground.worker().await;
    let paused = ground.add(ground.task("mail")).await;
    ground.act(paused, Deed::Pause).await.unwrap();
    ground.add(NewTask { when: in_s(1), ..ground.task("mail") }).await;
    ground.add(NewTask { serial: Some("one".into()), ..ground.task("mail") }).await;
    ground.parked(worker).await;
    let failed = ground.running(worker).await;
    let _ = ground.end(&failed, To::Error).await;
    assert!(is_empty_handed(&ground, "mail").await);
}

async fn a_large_payload_is_left_out_of_the_grab(ground: Ground) {
    let worker = ground.worker().await;
    for (len, inline) in [(PAYLOAD_INLINE_BYTES_MAX, true), (PAYLOAD_INLINE_BYTES_MAX + 1, false)] {
        let payload = Payload::bytes(vec![7; len]);
        let task = ground.running_as(worker, NewTask { payload, ..ground.task("mail") }).await;
        assert_eq!((task.payload.is_some(), task.payload_len), (inline, len));
    }
}

/// Whether nothing of a kind is there to be taken, however many are asked for.
async fn is_empty_handed(ground: &Ground, kind: &str) -> bool {
    let worker = ground.worker().await;
    for n in SIZES {
        if !ground.grab(worker, kind, n).await.is_empty() {
            return false;
        }
    }
    true
}

/// A ready task that was lost with its worker so many times.
async fn lost_times(ground: &Ground, lost: u32) -> TaskId {
    let task = ground.running(ground.stranger()).await;
    let change = Change { lost, ..to(&task, To::Run(When::Now)) };
    let _ = ground.finish(task.fence().unwrap(), Cause::Dead, change).await;
    task.id
}

async fn a_suspect_is_taken_only_by_its_own_lane(ground: Ground) {
    let worker = ground.worker().await;
    for n in SIZES {
        let suspect = lost_times(&ground, 2).await;
        assert!(is_empty_handed(&ground, "mail").await);
        let alone = Demand { lane: Lane::Suspect, ..demand("mail", n) };
        let grabbed = ground.grab_demands(worker, &Bucket::default(), vec![alone.clone()]).await;
        assert_eq!(ids(&grabbed), [suspect]);
        let plain = lost_times(&ground, 1).await;
        assert!(ground.grab_demands(worker, &Bucket::default(), vec![alone]).await.is_empty());
        assert_eq!(ids(&ground.grab(worker, "mail", n).await), [plain]);
    }
}

async fn a_grant_rises_with_every_grab(ground: Ground) {
    let mut task = ground.running(ground.worker().await).await;
    for _ in 0..3 {
        let _ = ground.end(&task, To::Run(When::Now)).await;
        let next = ground.grab_one(ground.worker().await, "mail").await;
        assert!(next.grant > task.grant && next.version > task.version);
        assert_eq!(next.attempt, task.attempt + 1);
        task = next;
    }
}

async fn a_worker_holds_what_it_grabbed(ground: Ground) {
    let worker = ground.worker().await;
    assert!(expect(ground.store.held(worker)).await.is_empty());
    let task = ground.running(worker).await;
    let parked = ground.parked(worker).await;
    let other = ground.running(ground.worker().await).await;
    assert!(parked.id != task.id && other.id != task.id);
    let held = expect(ground.store.held(worker)).await;
    assert_eq!(ids(&held), [task.id]);
    assert_eq!((held[0].fence(), &held[0].kind), (task.fence(), &kind("mail")));
}

/// Grabs until nothing is left, so many at a time.
async fn grab_all(ground: &Ground, worker: WorkerId, n: usize) -> Vec<Task> {
    let mut all = Vec::new();
    loop {
        let grabbed = ground.grab(worker, "mail", n).await;
        if grabbed.is_empty() {
            return all;
        }
        all.extend(grabbed);
    }
}

// M-18.
async fn racing_workers_share_out_the_tasks(ground: Ground) {
    let added: BTreeSet<TaskId> = ground.add_n("mail", 200).await.into_iter().collect();
    let [one, two, three] = [ground.worker().await, ground.worker().await, ground.worker().await];
    let ground = std::sync::Arc::new(ground);
    let races: Vec<_> = [(one, 1), (two, 1), (three, 7)]
        .into_iter()
        .map(|(worker, n)| {
            let ground = ground.clone();
            tokio::spawn(async move { grab_all(&ground, worker, n).await })
        })
        .collect();
    let mut grabbed = Vec::new();
    for race in races {
        grabbed.extend(race.await.unwrap());
    }
    assert_eq!(grabbed.len(), added.len());
    assert_eq!(grabbed.iter().map(|task| task.id).collect::<BTreeSet<_>>(), added);
}
