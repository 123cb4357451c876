//! Adding tasks.

use super::{Case, case};
use crate::ground::{Ground, expect, fence, in_s, s};
use std::collections::BTreeMap;
use steadfast_core::limit::PAYLOAD_INLINE_BYTES_MAX;
use steadfast_core::seam::{Add, Birth, Finished};
use steadfast_core::{
    Bucket, Compression, Format, Key, NewTask, Payload, Priority, Retention, Status, Task, Time, To, When,
};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(a_task_is_ready_when_it_was_added),
        case(a_task_comes_back_as_it_was_added),
        case(a_future_task_waits),
        case(a_task_due_in_the_past_is_ready_as_of_now),
        case(a_serial_task_is_held_whoever_is_ahead_of_it),
        case(an_empty_batch_adds_nothing),
        case(a_batch_answers_in_its_own_order),
        case(tasks_are_numbered_in_the_order_of_adding),
        case(an_empty_payload_comes_back_empty),
        case(a_payload_over_64_kb_comes_back_whole),
        case(a_payload_of_every_byte_comes_back),
        case(a_payload_says_how_to_read_it),
        case(a_born_task_is_running_on_the_worker_that_added_it),
        case(a_born_task_can_be_finished_by_its_worker),
        case(births_and_adds_share_a_batch),
        case(tasks_that_are_alike_are_written_whole_and_in_their_order),
        case(a_thousand_tasks_fit_in_a_batch),
    ]
}

async fn a_task_is_ready_when_it_was_added(ground: Ground) {
    let adds = ground.add_all(vec![ground.task("mail")]).await;
    let added = adds.added[0];
    assert_eq!((added.fresh, added.status, added.due_at), (true, Status::Ready, ground.now()));
    assert_eq!(adds.now, ground.now());
    assert_eq!(ground.status(added.id).await, Status::Ready);
}

/// A task with something in every field.
fn full(ground: &Ground) -> NewTask {
    NewTask {
        bucket: Bucket::new("west").unwrap(),
        subkind: Some("welcome".into()),
        step: Some("first".into()),
        priority: Priority::new(3).unwrap(),
        key: Some(Key::key("order 7")),
        key_window: s(60),
        search1: Some("customer 1".into()),
        search2: Some("order 7".into()),
        parent: Some(ground.id()),
        context: BTreeMap::from([("trace".into(), "1-2".into()), ("empty".into(), String::new())]),
        ..ground.task("mail|vip")
    }
}

// DA-03, DA-04, DA-23, L-01.
async fn a_task_comes_back_as_it_was_added(ground: Ground) {
    let new = full(&ground);
    let id = ground.add(new.clone()).await;
    let seen = ground.get(id).await;
    assert_eq!(seen, Task::added(new, seen.seq, ground.now()));
}

// L-01.
async fn a_future_task_waits(ground: Ground) {
    let due_at = ground.now().after(s(60));
    for when in [When::At(due_at), in_s(60)] {
        let added = ground.add_all(vec![NewTask { when, ..ground.task("mail") }]).await.added[0];
        assert_eq!((added.status, added.due_at), (Status::Waiting, due_at));
        let task = ground.get(added.id).await;
        assert_eq!((task.status, task.due_at, task.ready_at), (Status::Waiting, due_at, due_at));
    }
}

async fn a_task_due_in_the_past_is_ready_as_of_now(ground: Ground) {
    let when = When::At(Time::from_micros(1));
    let id = ground.add(NewTask { when, ..ground.task("mail") }).await;
    let task = ground.get(id).await;
    assert_eq!((task.status, task.due_at), (Status::Ready, Time::from_micros(1)));
    assert_eq!((task.ready_at, task.base_at), (ground.now(), Time::from_micros(1)));
}

async fn a_serial_task_is_held_whoever_is_ahead_of_it(ground: Ground) {
    for when in [When::Now, in_s(60)] {
        let task = NewTask { serial: Some("account 1".into()), when, ..ground.task("mail") };
        let added = ground.add_all(vec![task]).await.added[0];
        assert_eq!(added.status, Status::Held);
        assert_eq!(ground.status(added.id).await, Status::Held);
    }
}

async fn an_empty_batch_adds_nothing(ground: Ground) {
    let adds = ground.add_all(Vec::new()).await;
    assert!(adds.added.is_empty() && adds.born.is_empty());
    assert!(ground.look(10).await.notes.is_empty());
}

async fn a_batch_answers_in_its_own_order(ground: Ground) {
    let mut tasks: Vec<NewTask> = ["a", "b", "c", "d"].map(|kind| ground.task(kind)).into();
    tasks.reverse();
    tasks.swap(1, 2);
    let wanted: Vec<_> = tasks.iter().map(|task| task.id).collect();
    let added = ground.add_all(tasks).await.added;
    assert_eq!(added.iter().map(|added| added.id).collect::<Vec<_>>(), wanted);
}

// DA-24.
async fn tasks_are_numbered_in_the_order_of_adding(ground: Ground) {
    let mut seqs = Vec::new();
    for id in [ground.add_n("mail", 3).await, ground.add_n("pay", 2).await].concat() {
        seqs.push(ground.get(id).await.seq);
    }
    assert!(seqs.is_sorted_by(|one, next| one < next), "{seqs:?}");
}

/// Adds a task with this payload; it must be there after the add, after the grab and in the history.
async fn check_payload(ground: &Ground, payload: Payload) {
    let worker = ground.stranger();
    let task = ground.running_as(worker, NewTask { payload: payload.clone(), ..ground.task("mail") }).await;
    assert_eq!(task.payload_len, payload.len());
    assert_eq!(expect(ground.store.payload(task.id)).await, Some(payload.clone()));
    assert_eq!(ground.get(task.id).await.payload, Some(payload.clone()));
    let _ = ground.end(&task, To::Done(Retention::History)).await;
    assert_eq!(ground.get(task.id).await.payload, Some(payload));
}

// MG-05.
async fn an_empty_payload_comes_back_empty(ground: Ground) {
    check_payload(&ground, Payload::bytes([])).await;
}

async fn a_payload_over_64_kb_comes_back_whole(ground: Ground) {
    for len in [PAYLOAD_INLINE_BYTES_MAX, PAYLOAD_INLINE_BYTES_MAX + 1, 3_000_000] {
        check_payload(&ground, Payload::bytes(vec![b'x'; len])).await;
    }
}

async fn a_payload_of_every_byte_comes_back(ground: Ground) {
    check_payload(&ground, Payload::bytes((0..=255).collect::<Vec<u8>>())).await;
}

async fn a_payload_says_how_to_read_it(ground: Ground) {
    use Compression::{Gzip, Lz4, None, Unknown, Zstd};
    check_payload(&ground, Payload::json("mail", &["a", "b"]).unwrap()).await;
    check_payload(&ground, Payload::bytes(*b"[1]")).await;
    check_payload(&ground, Payload::bytes(*b"[1]").version(7)).await;
    for compression in [None, Gzip, Lz4, Zstd, Unknown(7)] {
        let format = Format { json: true, compression, version: u32::MAX };
        check_payload(&ground, Payload { bytes: (*b"[1]").into(), format }).await;
    }
}

async fn a_born_task_is_running_on_the_worker_that_added_it(ground: Ground) {
    let worker = ground.worker().await;
    let new = ground.task("mail");
    let births = Some(Birth { worker, tasks: vec![(new.clone(), s(60))] });
    let born = expect(ground.store.add(Add { births, ..Add::default() })).await.born.remove(0);
    assert_eq!((born.status, born.worker, born.attempt), (Status::Running, Some(worker), 1));
    assert_eq!((born.grant.get(), born.deadline_at), (1, Some(ground.now().after(s(60)))));
    assert_eq!(born.payload, Some(new.payload));
    assert_eq!(ground.get(new.id).await, born);
}

async fn a_born_task_can_be_finished_by_its_worker(ground: Ground) {
    let worker = ground.worker().await;
    let births = Some(Birth { worker, tasks: vec![(ground.task("mail"), s(60))] });
    let born = expect(ground.store.add(Add { births, ..Add::default() })).await.born.remove(0);
    assert_eq!(fence(&born).worker, worker);
    let finished = ground.end(&born, To::Done(Retention::History)).await;
    assert_eq!(finished, Finished::Accepted { status: Status::Done, due_at: ground.now() });
}

async fn births_and_adds_share_a_batch(ground: Ground) {
    let worker = ground.worker().await;
    let tasks = vec![ground.task("mail"), ground.task("mail")];
    let births =
        Some(Birth { worker, tasks: vec![(ground.task("mail"), s(60)), (ground.task("pay"), s(60))] });
    let adds = expect(ground.store.add(Add { tasks, births, receipt: Some(ground.receipt()) })).await;
    assert_eq!((adds.added.len(), adds.born.len()), (2, 2));
    assert_eq!(ground.grab(ground.stranger(), "mail", 9).await.len(), 2);
    assert_eq!(expect(ground.store.held(worker)).await.len(), 2);
}

/// Three that differ in nothing but their ids and payloads, the youngest first.
fn alike(ground: &Ground, when: When) -> Vec<NewTask> {
    let mut tasks: Vec<NewTask> = [b"1", b"2", b"3"]
        .map(|bytes| NewTask { when, payload: Payload::bytes(*bytes), ..ground.task("mail") })
        .into();
    tasks.reverse();
    tasks
}

/// What is in the store of tasks that were added in this order.
async fn check_alike(ground: &Ground, tasks: &[NewTask], wanted: impl Fn(Task) -> Task) {
    let mut seqs = Vec::new();
    for new in tasks {
        let task = ground.get(new.id).await;
        assert_eq!(task, wanted(Task::added(new.clone(), task.seq, ground.now())));
        seqs.push(task.seq);
    }
    assert!(seqs.is_sorted_by(|one, next| one < next), "{seqs:?}");
}

async fn tasks_that_are_alike_are_written_whole_and_in_their_order(ground: Ground) {
    for when in [When::Now, When::After(s(5)), When::At(ground.now().after(s(7)))] {
        let tasks = alike(&ground, when);
        let add = Add { tasks: tasks.clone(), receipt: Some(ground.receipt()), ..Add::default() };
        assert_eq!(expect(ground.store.add(add)).await.now, ground.now());
        check_alike(&ground, &tasks, |task| task).await;
    }
    let (worker, tasks) = (ground.worker().await, alike(&ground, When::Now));
    let births = Some(Birth { worker, tasks: tasks.iter().map(|new| (new.clone(), s(60))).collect() });
    let add = Add { births, receipt: Some(ground.receipt()), ..Add::default() };
    let adds = expect(ground.store.add(add)).await;
    assert_eq!(adds.now, ground.now());
    assert!(adds.born.iter().map(|task| task.id).eq(tasks.iter().map(|new| new.id)));
    check_alike(&ground, &tasks, |mut task| {
        task.granted(worker, s(60), ground.now());
        task
    })
    .await;
}

async fn a_thousand_tasks_fit_in_a_batch(ground: Ground) {
    let added = ground.add_n("mail", 1000).await;
    let grabbed = ground.grab(ground.stranger(), "mail", 2000).await;
    assert_eq!(crate::ground::ids(&grabbed), added);
}
