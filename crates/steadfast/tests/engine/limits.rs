//! Limits in one worker: shared by name, each suffix its own, stretched, written as code.

use super::common::{builder, quick, store, until};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use steadfast::{Book, Bucket, Handler, Kind, Limit, New, Priority, Rate, Room, Run, Status};
use tokio::sync::{Semaphore, mpsc};

/// A kind whose runs tell that they started and wait until they may end.
fn gated(kind: &str, started: &mpsc::UnboundedSender<String>, gate: &Arc<Semaphore>) -> Handler {
    let (started, gate) = (started.clone(), gate.clone());
    Handler::of(kind, move |run: Run| {
        let (started, gate) = (started.clone(), gate.clone());
        async move {
            started.send(run.task().kind.to_string()).unwrap();
            gate.acquire().await.unwrap().forget();
        }
    })
}

/// The kinds that run at once, in order of their names, when so many have started; one of `last` comes behind all.
async fn started(starts: &mut mpsc::UnboundedReceiver<String>, n: usize) -> Vec<String> {
    let mut seen = Vec::new();
    for _ in 0..n {
        seen.push(starts.recv().await.unwrap());
    }
    seen.sort();
    seen
}

#[tokio::test]
async fn a_tree_of_limits_holds_inside_one_worker() {
    let (told, mut starts) = mpsc::unbounded_channel();
    let gate = Arc::new(Semaphore::new(0));
    let all = || Limit::named("partners", 6);
    let engine = builder(&store())
        .register(gated("payout", &told, &gate).limit(all()).limit(4).limit(Limit::each(2)))
        .register(gated("refund", &told, &gate).limit(all()))
        .register(gated("last", &told, &gate))
        .start()
        .await
        .unwrap();
    for kind in ["payout|A", "payout|B", "payout|C", "refund"] {
        engine.add_many((0..10).map(|_| New::kind(kind, ""))).await.unwrap();
    }
    engine.add(New::kind("last", "").priority(9)).await.unwrap();
    // Two of each partner, four payouts, six in all; and whoever is under none of these limits.
    let seen = started(&mut starts, 7).await;
    assert_eq!(seen, ["last", "payout|A", "payout|A", "payout|B", "payout|B", "refund", "refund"]);
    assert!(starts.try_recv().is_err());
    gate.add_permits(1000);
    started(&mut starts, 34).await;
}

#[tokio::test]
async fn urgent_tasks_go_over_a_stretched_limit_and_others_do_not() {
    let (told, mut starts) = mpsc::unbounded_channel();
    let gate = Arc::new(Semaphore::new(0));
    let engine = builder(&store())
        .register(gated("pay", &told, &gate).limit(Limit::own(5).stretch(2, 40)))
        .register(gated("last", &told, &gate))
        .start()
        .await
        .unwrap();
    engine.add_many((0..20).map(|_| New::kind("pay", ""))).await.unwrap();
    started(&mut starts, 5).await;
    engine.add_many((0..20).map(|_| New::kind("pay", "").priority(2))).await.unwrap();
    engine.add(New::kind("last", "").priority(9)).await.unwrap();
    assert_eq!(started(&mut starts, 3).await, ["last", "pay", "pay"]);
    assert!(starts.try_recv().is_err());
    gate.add_permits(1000);
    started(&mut starts, 33).await;
}

/// Says no a few times before it says yes.
#[derive(Default)]
struct Reluctant {
    asked: AtomicUsize,
    booked: AtomicUsize,
    freed: AtomicUsize,
}

impl Book for Reluctant {
    fn book(&self, _: &Kind, _: Priority) -> Room {
        if self.asked.fetch_add(1, Ordering::SeqCst) < 4 {
            return Room::No { again_in: Some(Duration::from_millis(10)) };
        }
        self.booked.fetch_add(1, Ordering::SeqCst);
        Room::Yes
    }

    fn free(&self, _: &Kind) {
        self.freed.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_book_that_says_no_is_asked_again_and_told_once_for_each_yes() {
    let book = Arc::new(Reluctant::default());
    let handler = Handler::of("asked", |_: Run| async {}).book(book.clone());
    // Longer than the test may take: only the book's own time brings it forward.
    let builder = builder(&store()).configure(|config| config.sweep = Duration::from_secs(60));
    let engine = builder.register(handler).start().await.unwrap();
    let added = engine.add(New::kind("asked", "")).await.unwrap();
    until(&engine, added.id, Status::Done).await;
    let _ = engine.drain().await.unwrap();
    let [asked, booked, freed] = [&book.asked, &book.booked, &book.freed].map(|n| n.load(Ordering::SeqCst));
    assert!(asked > 4 && booked > 0, "asked {asked} times, {booked} times yes");
    assert_eq!(booked, freed);
}

#[tokio::test]
async fn limits_that_contradict_each_other_fail_at_the_start() {
    let handler = |kind: &str| Handler::of(kind, |_: Run| async {});
    let elsewhere = quick(|policy| policy.bucket = Bucket::new("other").unwrap());
    let shared = |max| Limit::named("partners", max);
    for (one, other, expected) in [
        (
            handler("a").limit(shared(3)),
            handler("b").limit(shared(4)),
            "limit `partners` is 3 for one kind and 4 for another; say the same wherever it is named",
        ),
        (
            handler("a").limit(shared(3)),
            handler("b").limit(shared(3).rate(Rate::per_second(1))),
            "limit `partners` has two stretches or rates; say the same wherever it is named",
        ),
        (
            handler("a").limit(shared(3)),
            handler("b").limit(Limit::named("all", 9)).limit(shared(3)),
            "limit `partners` is below different limits; say the same wherever it is named",
        ),
        (
            handler("a").limit(shared(3)),
            handler("b").limit(shared(3)).policy(elsewhere),
            "limit `partners` is in the buckets `default` and `other`, which count apart; say the same wherever it is \
             named",
        ),
        (
            handler("a").limit(5).limit(shared(3)),
            handler("b"),
            "limit `partners` is below one that is not shared; name it before that",
        ),
        (
            handler("a").limit(Rate::per_second(0)),
            handler("b"),
            "kind `a`: rate or burst is 0; nothing could start",
        ),
    ] {
        let error = builder(&store()).register(one).register(other).start().await.unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}
