//! Batches whose reply was lost.

use super::{Case, case};
use crate::ground::{Ground, expect, s};
use steadfast_core::seam::{Add, Birth, Clean, Settled};
use steadfast_core::{Receipt, Refusal, StoreError};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(a_committed_batch_settles_as_committed),
        case(a_batch_that_never_came_settles_as_never),
        case(a_batch_cannot_come_after_it_was_settled),
        case(a_batch_cannot_come_twice),
        case(a_batch_of_births_cannot_come_after_it_was_settled),
        case(settling_twice_says_the_same),
        case(receipts_do_not_meet),
        case(an_empty_batch_leaves_its_receipt),
        case(a_cleaned_receipt_is_forgotten),
        case(a_batch_and_its_settling_race_to_one_answer),
    ]
}

fn batch(ground: &Ground, receipt: Receipt) -> Add {
    Add { tasks: vec![ground.task("mail"), ground.task("mail")], births: None, receipt: Some(receipt) }
}

/// The batch must be refused for its receipt and add nothing.
async fn check_refused(ground: &Ground, add: Add, receipt: Receipt) {
    let before = ground.look(100).await.notes;
    match ground.store.add(add).await {
        Err(StoreError::Refused(refusal)) => assert_eq!(refusal, Refusal::Receipt(receipt.uuid())),
        other => panic!("should be refused: {other:?}"),
    }
    assert_eq!(ground.look(100).await.notes, before);
}

async fn a_committed_batch_settles_as_committed(ground: Ground) {
    let receipt = ground.receipt();
    expect(ground.store.add(batch(&ground, receipt))).await;
    for _ in 0..2 {
        assert_eq!(expect(ground.store.settle(receipt)).await, Settled::Committed);
    }
    assert_eq!(ground.grab(ground.stranger(), "mail", 9).await.len(), 2);
}

async fn a_batch_that_never_came_settles_as_never(ground: Ground) {
    assert_eq!(expect(ground.store.settle(ground.receipt())).await, Settled::Never);
}

async fn a_batch_cannot_come_after_it_was_settled(ground: Ground) {
    let receipt = ground.receipt();
    assert_eq!(expect(ground.store.settle(receipt)).await, Settled::Never);
    check_refused(&ground, batch(&ground, receipt), receipt).await;
}

async fn a_batch_cannot_come_twice(ground: Ground) {
    let receipt = ground.receipt();
    let add = batch(&ground, receipt);
    expect(ground.store.add(add.clone())).await;
    check_refused(&ground, add, receipt).await;
}

async fn a_batch_of_births_cannot_come_after_it_was_settled(ground: Ground) {
    let (receipt, worker) = (ground.receipt(), ground.worker().await);
    expect(ground.store.settle(receipt)).await;
    let births = Some(Birth { worker, tasks: vec![(ground.task("mail"), s(60))] });
    check_refused(&ground, Add { births, ..batch(&ground, receipt) }, receipt).await;
    assert!(expect(ground.store.held(worker)).await.is_empty());
}

/// The reply of a settling can be lost too: its repeat must not take the first one's receipt for the batch's.
async fn settling_twice_says_the_same(ground: Ground) {
    let receipt = ground.receipt();
    for _ in 0..3 {
        assert_eq!(expect(ground.store.settle(receipt)).await, Settled::Never);
    }
    check_refused(&ground, batch(&ground, receipt), receipt).await;
    assert_eq!(expect(ground.store.settle(receipt)).await, Settled::Never);
}

async fn receipts_do_not_meet(ground: Ground) {
    let (one, other) = (ground.receipt(), ground.receipt());
    expect(ground.store.add(batch(&ground, one))).await;
    expect(ground.store.add(batch(&ground, other))).await;
    assert_eq!(expect(ground.store.settle(ground.receipt())).await, Settled::Never);
    assert_eq!(ground.grab(ground.stranger(), "mail", 9).await.len(), 4);
}

async fn an_empty_batch_leaves_its_receipt(ground: Ground) {
    let receipt = ground.receipt();
    expect(ground.store.add(Add { receipt: Some(receipt), ..Add::default() })).await;
    assert_eq!(expect(ground.store.settle(receipt)).await, Settled::Committed);
}

async fn a_cleaned_receipt_is_forgotten(ground: Ground) {
    let receipt = ground.receipt();
    expect(ground.store.settle(receipt)).await;
    ground.pass_s(61);
    let clean = Clean { history: s(60), receipts: s(60), workers: s(60), n_max: 10 };
    assert_eq!(expect(ground.store.clean(clean)).await.receipts, 1);
    assert_eq!(expect(ground.store.settle(receipt)).await, Settled::Never);
}

async fn a_batch_and_its_settling_race_to_one_answer(ground: Ground) {
    let receipt = ground.receipt();
    let add = batch(&ground, receipt);
    let (added, settled) = tokio::join!(ground.store.add(add), ground.store.settle(receipt));
    let wanted = if added.is_ok() { Settled::Committed } else { Settled::Never };
    assert_eq!(settled.unwrap(), wanted);
    let n = ground.grab(ground.stranger(), "mail", 9).await.len();
    assert_eq!(n, if added.is_ok() { 2 } else { 0 });
}
