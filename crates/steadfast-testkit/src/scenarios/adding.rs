//! What is added, how often, and what its handler sees of it.

use super::tally::Tally;
use super::{Home, Scenario, add, end, get, scenario};
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;
use steadfast::{Builder, Engine, Filter, Handler, New, Rest, Run, Status, TaskId};

const KEYS: usize = 500;
const CALLERS: usize = 10;
const CROWD: usize = 600;

pub(super) fn all() -> Vec<Scenario> {
    vec![
        scenario(repeats_of_many_callers_run_once),
        scenario(repeats_of_many_callers_run_once_at_their_time),
        scenario(tasks_that_nobody_was_told_of_are_found),
        scenario(a_payload_of_twelve_megabytes_comes_back),
        scenario(a_priority_is_from_0_to_9_and_nothing_else_is_added),
        scenario(a_kind_that_nobody_knows_stays_in_nobodys_way),
        scenario(a_context_of_a_decorator_is_seen_by_interceptors),
        scenario(serial_tasks_keep_the_order_of_their_calls_within_a_crowd),
    ]
}

/// An engine that counts the runs of each key.
async fn counting(builder: Builder) -> (Engine, Tally) {
    let tally = Tally::new(KEYS);
    let engine = builder.register(tally.handler().limit(100)).start().await.unwrap();
    (engine, tally)
}

/// Each key is added by two of the callers.
async fn add_by_many(engine: &Engine, delay: Duration) -> BTreeMap<usize, TaskId> {
    let calls = (0..CALLERS).map(|caller| {
        let engine = engine.clone();
        tokio::spawn(async move {
            let mut added = Vec::new();
            for n in (0..KEYS).filter(|n| n % (CALLERS / 2) == caller % (CALLERS / 2)) {
                let new = Tally::task(n).key(format!("order {n}")).after(delay);
                added.push((n, engine.add(new).await.unwrap()));
            }
            added
        })
    });
    let (mut ids, mut fresh) = (BTreeMap::new(), 0);
    for call in calls.collect::<Vec<_>>() {
        for (n, added) in call.await.unwrap() {
            fresh += usize::from(added.fresh);
            assert_eq!(*ids.entry(n).or_insert(added.id), added.id, "a repeat returns the first task");
        }
    }
    assert_eq!((ids.len(), fresh), (KEYS, KEYS));
    ids
}

async fn check_repeats(home: &Home, delay: Duration) {
    let (engine, tally) = counting(home.builder().await).await;
    for id in add_by_many(&engine, delay).await.into_values() {
        assert_eq!(end(&engine, id).await.status, Status::Done);
    }
    tally.check();
}

// TP-01a, DA-02.
async fn repeats_of_many_callers_run_once(home: Arc<Home>) {
    check_repeats(&home, Duration::ZERO).await;
}

// TP-01b.
async fn repeats_of_many_callers_run_once_at_their_time(home: Arc<Home>) {
    check_repeats(&home, Duration::from_millis(200)).await;
}

// TP-01c: no hint arrives, neither of adds nor of anything else; the sweep finds them.
async fn tasks_that_nobody_was_told_of_are_found(home: Arc<Home>) {
    let (worker, tally) = counting(home.mute().await).await;
    let caller = home.mute().await.start().await.unwrap();
    let added = caller.add_many((0..KEYS).map(Tally::task)).await.unwrap();
    for added in added {
        assert_eq!(end(&worker, added.id).await.status, Status::Done);
    }
    tally.check();
}

// TP-03.
async fn a_payload_of_twelve_megabytes_comes_back(home: Arc<Home>) {
    let bytes: Arc<Vec<u8>> =
        Arc::new((0..12_000_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[2]).collect());
    let expected = bytes.clone();
    let same = Handler::of("large", move |run: Run| {
        let same = run.bytes() == expected.as_slice();
        async move { if same { Ok(()) } else { Err("other bytes") } }
    });
    let engine = home.builder().await.register(same.policy(super::at_once(0))).start().await.unwrap();
    let id = engine.add(New::kind("large", bytes.as_slice())).await.unwrap().id;
    let task = end(&engine, id).await;
    assert_eq!((task.status, task.errors.last()), (Status::Done, None));
    assert!(task.payload.unwrap().bytes.as_ref() == bytes.as_slice());
}

// TP-04, M-01: out of range is refused, not bent.
async fn a_priority_is_from_0_to_9_and_nothing_else_is_added(home: Arc<Home>) {
    let engine = home.builder().await.register(Handler::of("mail", |_: Run| async {})).start().await.unwrap();
    for priority in [-1, 10, 11] {
        let refused = engine.add(New::kind("mail", "").priority(priority)).await.unwrap_err();
        assert_eq!(refused.code(), "priority-out-of-range");
    }
    assert!(engine.count(Filter::default()).await.unwrap().is_empty());
    for priority in [0, 1, 5, 9] {
        let id = engine.add(New::kind("mail", "").priority(priority)).await.unwrap().id;
        let task = end(&engine, id).await;
        assert_eq!((task.status, i64::from(task.priority)), (Status::Done, i64::from(priority)));
    }
    let usual = engine.add(New::kind("mail", "")).await.unwrap().id;
    assert_eq!(end(&engine, usual).await.priority.get(), 5);
}

// L-26, M-02, M-08: it waits for a worker that knows it, costs no attempt, and others go past it.
async fn a_kind_that_nobody_knows_stays_in_nobodys_way(home: Arc<Home>) {
    let old = home.builder().await.register(Handler::of("mail", |_: Run| async {}));
    let old = old.configure(|config| config.slots = 1).start().await.unwrap();
    let unknown = old.add_many((0..100).map(|_| New::kind("fax", "").priority(0))).await.unwrap();
    let known = add(&old, New::kind("mail", "").priority(9)).await;
    assert_eq!(end(&old, known.id).await.status, Status::Done);
    let waits = get(&old, unknown[0].id).await;
    assert_eq!((waits.status, waits.attempt, waits.grant.get()), (Status::Ready, 0, 0));
    let new = home.builder().await.register(Handler::of("fax", |_: Run| async {})).start().await.unwrap();
    for added in unknown {
        assert_eq!(end(&new, added.id).await.attempt, 1);
    }
}

// IN-01, TD-05: payload and context are as they were said, in every read.
async fn a_context_of_a_decorator_is_seen_by_interceptors(home: Arc<Home>) {
    let counted = Arc::new(AtomicUsize::new(0));
    let counts = counted.clone();
    let builder = home.builder().await.decorate(|new: New| match new.kind_name() {
        Some("mail") => new.context("tenant", "A \"quoted\" \\ ä"),
        _ => new,
    });
    let builder = builder.around(move |run: Run, rest: Rest| {
        let counts = counts.clone();
        async move {
            if run.task().context.get("tenant").is_some_and(|tenant| tenant == "A \"quoted\" \\ ä") {
                counts.fetch_add(1, Ordering::SeqCst);
            }
            rest.run().await
        }
    });
    let echo = |kind: &str| {
        Handler::of(kind, |run: Run| async move { run.output(String::from_utf8_lossy(run.bytes())) })
    };
    let engine = builder.register(echo("mail")).register(echo("fax")).start().await.unwrap();
    for kind in ["mail", "fax", "mail"] {
        let task = add(&engine, New::kind(kind, "hello").subkind("X")).await;
        let ended = end(&engine, task.id).await;
        assert_eq!((ended.status, ended.output.as_deref()), (Status::Done, Some("hello")));
        assert_eq!((ended.context, ended.subkind.as_deref()), (task.context, Some("X")));
        assert_eq!(ended.payload, task.payload);
    }
    assert_eq!(counted.load(Ordering::SeqCst), 2);
}

/// So many callers at once that their tasks go in several batches, side by side where the store can do that.
async fn serial_tasks_keep_the_order_of_their_calls_within_a_crowd(home: Arc<Home>) {
    let (tally, order) = (Tally::new(CROWD), Arc::new(Mutex::new(Vec::new())));
    let seen = order.clone();
    let in_line = Handler::json("line", move |_: Run, n: usize| {
        seen.lock().unwrap().push(n);
        async {}
    });
    let engine = home.builder().await.register(tally.handler()).register(in_line).start().await.unwrap();
    let task =
        |n: usize| if n.is_multiple_of(10) { New::json("line", &n).serial("line") } else { Tally::task(n) };
    let mut calls: Vec<_> = (0..CROWD).map(|n| Box::pin(engine.add(task(n)))).collect();
    let mut ids: Vec<Option<TaskId>> = vec![None; CROWD];
    // All of them call before the first is answered, in this order.
    poll_fn(|context| {
        for (call, id) in calls.iter_mut().zip(&mut ids).filter(|(_, id)| id.is_none()) {
            if let Poll::Ready(added) = call.as_mut().poll(context) {
                *id = Some(added.unwrap().id);
            }
        }
        if ids.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    for id in ids.into_iter().flatten() {
        assert_eq!(end(&engine, id).await.status, Status::Done);
    }
    assert_eq!(*order.lock().unwrap(), (0..CROWD).step_by(10).collect::<Vec<_>>());
}
