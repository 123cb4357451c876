//! Repeats that want to replace the first task of their key, or to be refused.

use super::{Case, case};
use crate::ground::{Ground, expect, in_s, s};
use steadfast_core::limit::PAYLOAD_INLINE_BYTES_MAX;
use steadfast_core::seam::{Add, Added, Settled};
use steadfast_core::{
    Deed, Key, NewTask, Payload, Receipt, Refusal, Repeat, Retention, Status, StoreError, To, When,
};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(a_replacing_repeat_gives_its_payload_and_time_to_a_waiting_task),
        case(a_task_that_is_replaced_for_now_is_ready_and_grabbed_with_the_new_payload),
        case(a_ready_task_that_is_replaced_keeps_its_place_and_may_be_put_off),
        case(large_and_small_payloads_replace_each_other),
        case(held_and_paused_tasks_are_replaced_and_stay_so),
        case(a_running_task_is_kept),
        case(an_ended_task_is_kept),
        case(a_replacing_repeat_in_the_same_batch_replaces),
        case(a_replacing_task_without_a_first_one_is_fresh),
        case(a_refusing_repeat_is_refused_with_the_key_and_the_first_task),
        case(a_refused_batch_adds_nothing_and_leaves_its_receipt_unused),
        case(two_refusing_tasks_of_one_key_in_a_batch_are_refused),
        case(a_refusing_task_whose_key_is_past_its_window_is_fresh),
    ]
}

fn keyed(ground: &Ground, on_repeat: Repeat, payload: &str) -> NewTask {
    let payload = Payload::bytes(payload.as_bytes().to_vec());
    NewTask { key: Some(Key::key("order 7")), key_window: s(60), on_repeat, payload, ..ground.task("mail") }
}

fn replacing(ground: &Ground, payload: &str, when: When) -> NewTask {
    NewTask { when, ..keyed(ground, Repeat::Replace, payload) }
}

async fn add_one(ground: &Ground, new: NewTask) -> Added {
    ground.add_all(vec![new]).await.added[0]
}

async fn payload_of(ground: &Ground, id: steadfast_core::TaskId) -> Vec<u8> {
    expect(ground.store.payload(id)).await.unwrap().bytes.to_vec()
}

async fn a_replacing_repeat_gives_its_payload_and_time_to_a_waiting_task(ground: Ground) {
    let first = add_one(&ground, replacing(&ground, "old", in_s(10))).await;
    assert!(first.fresh && !first.replaced);
    let before = ground.get(first.id).await;
    ground.pass_s(1);
    let second = add_one(&ground, replacing(&ground, "newer", in_s(30))).await;
    assert_eq!((second.id, second.fresh, second.replaced), (first.id, false, true));
    let after = ground.get(first.id).await;
    assert_eq!((after.status, after.due_at), (Status::Waiting, ground.now().after(s(30))));
    assert_eq!((second.status, second.due_at), (after.status, after.due_at));
    assert_eq!(after.base_at, after.due_at);
    assert_eq!(after.version, before.version.next());
    assert_eq!(payload_of(&ground, first.id).await, b"newer");
    ground.pass_s(15);
    assert!(expect(ground.store.due(9)).await.notes.is_empty(), "it waits for its new time");
}

async fn a_task_that_is_replaced_for_now_is_ready_and_grabbed_with_the_new_payload(ground: Ground) {
    let first = add_one(&ground, replacing(&ground, "old", in_s(10))).await;
    let second = add_one(&ground, replacing(&ground, "new", When::Now)).await;
    assert_eq!((second.replaced, second.status), (true, Status::Ready));
    let grabbed = ground.grab(ground.stranger(), "mail", 9).await;
    assert_eq!(grabbed.len(), 1);
    assert_eq!((grabbed[0].id, grabbed[0].payload.as_ref().unwrap().bytes.as_ref()), (first.id, &b"new"[..]));
}

async fn a_ready_task_that_is_replaced_keeps_its_place_and_may_be_put_off(ground: Ground) {
    let first = add_one(&ground, replacing(&ground, "old", When::Now)).await;
    let before = ground.get(first.id).await;
    ground.pass_s(1);
    assert!(add_one(&ground, replacing(&ground, "new", When::Now)).await.replaced);
    let after = ground.get(first.id).await;
    assert_eq!((after.ready_at, after.due_at), (before.ready_at, before.due_at));
    let put_off = add_one(&ground, replacing(&ground, "later", in_s(5))).await;
    assert_eq!(put_off.status, Status::Waiting);
    assert!(ground.grab(ground.stranger(), "mail", 9).await.is_empty());
}

async fn large_and_small_payloads_replace_each_other(ground: Ground) {
    let large = "x".repeat(PAYLOAD_INLINE_BYTES_MAX + 1);
    let first = add_one(&ground, replacing(&ground, "small", in_s(10))).await;
    for text in [large.as_str(), "small again", "", large.as_str()] {
        assert!(add_one(&ground, replacing(&ground, text, in_s(10))).await.replaced);
        let task = ground.get(first.id).await;
        assert_eq!(task.payload_len, text.len());
        assert_eq!(payload_of(&ground, first.id).await, text.as_bytes());
    }
}

async fn held_and_paused_tasks_are_replaced_and_stay_so(ground: Ground) {
    let held = NewTask { serial: Some("one".into()), ..replacing(&ground, "old", When::Now) };
    let first = add_one(&ground, held).await;
    let again = add_one(&ground, replacing(&ground, "new", in_s(9))).await;
    assert_eq!((again.replaced, again.status), (true, Status::Held));
    ground.release(&["one"]).await;
    assert_eq!(ground.get(first.id).await.status, Status::Waiting, "a head that is not due waits");
    ground.act(first.id, Deed::Pause).await.unwrap();
    let again = add_one(&ground, replacing(&ground, "newest", When::Now)).await;
    assert_eq!((again.replaced, again.status), (true, Status::Paused));
    assert_eq!(payload_of(&ground, first.id).await, b"newest");
}

async fn a_running_task_is_kept(ground: Ground) {
    let task = ground.running_as(ground.stranger(), replacing(&ground, "old", When::Now)).await;
    let before = ground.get(task.id).await;
    let again = add_one(&ground, replacing(&ground, "new", in_s(9))).await;
    assert_eq!((again.id, again.fresh, again.replaced), (task.id, false, false));
    assert_eq!(ground.get(task.id).await, before);
    assert_eq!(payload_of(&ground, task.id).await, b"old");
}

async fn an_ended_task_is_kept(ground: Ground) {
    let task = ground.running_as(ground.stranger(), replacing(&ground, "old", When::Now)).await;
    let _ = ground.end(&task, To::Done(Retention::History)).await;
    let again = add_one(&ground, replacing(&ground, "new", When::Now)).await;
    assert_eq!((again.id, again.fresh, again.replaced), (task.id, false, false));
    assert_eq!(ground.get(task.id).await.status, Status::Done);
}

async fn a_replacing_repeat_in_the_same_batch_replaces(ground: Ground) {
    let batch = vec![replacing(&ground, "old", When::Now), replacing(&ground, "new", in_s(5))];
    let added = ground.add_all(batch).await.added;
    assert_eq!((added[0].fresh, added[1].fresh, added[1].replaced), (true, false, true));
    assert_eq!(ground.get(added[0].id).await.status, Status::Waiting);
    assert_eq!(payload_of(&ground, added[0].id).await, b"new");
}

async fn a_replacing_task_without_a_first_one_is_fresh(ground: Ground) {
    let added = add_one(&ground, replacing(&ground, "new", When::Now)).await;
    assert_eq!((added.fresh, added.replaced, added.status), (true, false, Status::Ready));
}

async fn refused(ground: &Ground, tasks: Vec<NewTask>, receipt: Option<Receipt>) -> Refusal {
    match ground.store.add(Add { tasks, births: None, receipt }).await {
        Err(StoreError::Refused(refusal)) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

async fn a_refusing_repeat_is_refused_with_the_key_and_the_first_task(ground: Ground) {
    let first = add_one(&ground, keyed(&ground, Repeat::Refuse, "first")).await;
    assert!(first.fresh);
    let refusal = refused(&ground, vec![keyed(&ground, Repeat::Refuse, "second")], None).await;
    assert_eq!(refusal, Refusal::KeyUsed { key: "order 7".into(), first: first.id });
    assert_eq!(payload_of(&ground, first.id).await, b"first");
}

async fn a_refused_batch_adds_nothing_and_leaves_its_receipt_unused(ground: Ground) {
    add_one(&ground, keyed(&ground, Repeat::Keep, "first")).await;
    let receipt = ground.receipt();
    let batch = vec![ground.task("mail"), keyed(&ground, Repeat::Refuse, "second"), ground.task("mail")];
    let _ = refused(&ground, batch, Some(receipt)).await;
    assert_eq!(ground.grab(ground.stranger(), "mail", 9).await.len(), 1);
    assert_eq!(expect(ground.store.settle(receipt)).await, Settled::Never);
}

async fn two_refusing_tasks_of_one_key_in_a_batch_are_refused(ground: Ground) {
    let batch = vec![keyed(&ground, Repeat::Refuse, "one"), keyed(&ground, Repeat::Refuse, "two")];
    let first = batch[0].id;
    let refusal = refused(&ground, batch, None).await;
    assert_eq!(refusal, Refusal::KeyUsed { key: "order 7".into(), first });
    assert_eq!(expect(ground.store.look_up(Key::key("order 7"))).await, None);
}

async fn a_refusing_task_whose_key_is_past_its_window_is_fresh(ground: Ground) {
    let task = ground.running_as(ground.stranger(), keyed(&ground, Repeat::Refuse, "one")).await;
    let _ = ground.end(&task, To::Done(Retention::History)).await;
    let refusal = refused(&ground, vec![keyed(&ground, Repeat::Refuse, "two")], None).await;
    assert_eq!(refusal, Refusal::KeyUsed { key: "order 7".into(), first: task.id });
    ground.pass_s(61);
    assert!(add_one(&ground, keyed(&ground, Repeat::Refuse, "three")).await.fresh);
}
