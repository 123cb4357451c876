//! The engine on the memory store: what a user sees, feature by feature.

// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use steadfast::core::seam::SystemClock;
use steadfast::{
    Builder, Deed, Engine, Error, Filter, Guard, Handler, Kinded, New, Outcome, Policy, Retention, Retry,
    Run, Status, StoreError, Task, TaskId,
};
use steadfast_memory::MemoryStore;
use tokio::sync::{Notify, mpsc};

#[derive(serde::Serialize, serde::Deserialize)]
struct Mail {
    to: String,
}

impl Kinded for Mail {
    const KIND: &'static str = "mail";
}

fn mail(to: &str) -> Mail {
    Mail { to: to.into() }
}

fn store() -> Arc<MemoryStore> {
    Arc::new(MemoryStore::new(Arc::new(SystemClock)))
}

fn builder(store: &Arc<MemoryStore>) -> Builder {
    Builder::on(store.clone(), store.clone()).configure(|config| config.lease = Duration::from_secs(2))
}

fn quick(policy: impl FnOnce(&mut Policy)) -> Policy {
    let mut quick = Policy::default();
    quick.retry = Retry::immediate(2);
    policy(&mut quick);
    quick
}

/// Waits until the task has the status; each look is asked for by the engine's own progress, bounded by 10 s.
async fn until(engine: &Engine, id: TaskId, status: Status) -> Task {
    tokio::time::timeout(Duration::from_secs(10), async {
        loop {
            match engine.get(id).await.unwrap() {
                Some(task) if task.status == status => return task,
                _ => tokio::time::sleep(Duration::from_millis(2)).await,
            }
        }
    })
    .await
    .unwrap_or_else(|_| panic!("task {id} did not become {status}"))
}

#[tokio::test]
async fn a_typed_handler_gets_its_payload_and_the_task_is_done() {
    let (heard, mut told) = mpsc::unbounded_channel();
    let engine = builder(&store())
        .handle(move |run: Run, mail: Mail| {
            let heard = heard.clone();
            async move {
                run.output("sent");
                heard.send((mail.to, run.task().attempt)).unwrap();
            }
        })
        .start()
        .await
        .unwrap();
    let added = engine.add(mail("ada")).await.unwrap();
    assert_eq!(told.recv().await, Some(("ada".to_owned(), 1)));
    let task = until(&engine, added.id, Status::Done).await;
    assert_eq!(task.output.as_deref(), Some("sent"));
    let _ = engine.drain().await.unwrap();
}

#[tokio::test]
async fn a_failing_task_is_tried_again_and_then_needs_a_person() {
    let handler =
        Handler::of(
            "flaky",
            |run: Run| async move { Err::<(), String>(format!("boom {}", run.task().attempt)) },
        );
    let engine = builder(&store()).register(handler.policy(quick(|_| {}))).start().await.unwrap();
    let added = engine.add(New::kind("flaky", "")).await.unwrap();
    let task = until(&engine, added.id, Status::Error).await;
    let texts: Vec<_> = task.errors.all().iter().map(|failure| failure.text.as_str()).collect();
    assert_eq!(texts, ["boom 1", "boom 2", "boom 3"]);
    let acted = engine.act(task.id, Guard::Version(task.version), Deed::Ack).await.unwrap();
    assert_eq!(acted.status, Status::Failed);
}

#[tokio::test]
async fn a_panic_is_a_failure_and_frees_its_slot() {
    let handler = Handler::of("panics", |run: Run| async move {
        assert!(run.task().attempt > 3, "not yet");
    });
    let policy = quick(|policy| policy.retry = Retry::immediate(5));
    let engine = builder(&store())
        .configure(|config| config.slots = 1)
        .register(handler.policy(policy))
        .start()
        .await
        .unwrap();
    for _ in 0..3 {
        let added = engine.add(New::kind("panics", "")).await.unwrap();
        let task = until(&engine, added.id, Status::Done).await;
        assert_eq!(task.attempt, 4);
        assert_eq!(task.errors.last(), Some("panic: not yet"));
    }
}

#[tokio::test]
async fn a_payload_that_does_not_parse_ends_in_error_and_is_kept() {
    let engine = builder(&store()).handle(|_: Run, _: Mail| async {}).start().await.unwrap();
    let added = engine.add(New::kind("mail", "{\"to\":7}")).await.unwrap();
    let task = until(&engine, added.id, Status::Error).await;
    assert!(task.errors.last().unwrap().contains("payload is not a engine::Mail"), "{:?}", task.errors);
    assert_eq!(task.payload.unwrap().bytes.as_ref(), b"{\"to\":7}");
}

#[tokio::test]
async fn scheduled_tasks_wait_for_their_time() {
    let engine = builder(&store()).handle(|_: Run, _: Mail| async {}).start().await.unwrap();
    let soon = engine.add(New::of(mail("soon")).after(Duration::from_millis(50))).await.unwrap();
    let late = engine.add(New::of(mail("late")).after(Duration::from_secs(3600))).await.unwrap();
    assert_eq!((soon.status, late.status), (Status::Waiting, Status::Waiting));
    let task = until(&engine, soon.id, Status::Done).await;
    assert!(task.changed_at >= soon.due_at, "it ran before its time");
    assert_eq!(engine.get(late.id).await.unwrap().unwrap().status, Status::Waiting);
}

#[tokio::test]
async fn a_repeat_under_the_same_id_returns_the_first_task() {
    let engine = builder(&store()).handle(|_: Run, _: Mail| async {}).start().await.unwrap();
    let first = engine.add(New::of(mail("a")).id("order-1")).await.unwrap();
    let second = engine.add(New::of(mail("b")).id("order-1")).await.unwrap();
    assert!(first.fresh && !second.fresh);
    assert_eq!(first.id, second.id);
    let both = engine.add(New::of(mail("c")).id("x").key("y")).await.unwrap_err();
    assert_eq!(both.to_string(), "a task has either its own id or a key, not both; drop `x`");
}

#[tokio::test]
async fn a_limit_holds_and_other_kinds_go_past_a_full_one() {
    let (running, most, gate) =
        (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let slow = {
        let (running, most, gate) = (running.clone(), most.clone(), gate.clone());
        Handler::of("slow", move |_: Run| {
            let (running, most, gate) = (running.clone(), most.clone(), gate.clone());
            async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                gate.notified().await;
                running.fetch_sub(1, Ordering::SeqCst);
            }
        })
        .limit(2)
    };
    let engine = builder(&store()).register(slow).handle(|_: Run, _: Mail| async {}).start().await.unwrap();
    let slow: Vec<_> = engine.add_many((0..10).map(|_| New::kind("slow", ""))).await.unwrap();
    let added = engine.add(mail("past")).await.unwrap();
    until(&engine, added.id, Status::Done).await;
    for _ in 0..10 {
        gate.notify_one();
        tokio::task::yield_now().await;
    }
    for added in slow {
        gate.notify_waiters();
        while engine.get(added.id).await.unwrap().unwrap().status != Status::Done {
            gate.notify_waiters();
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(most.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_cancelled_run_is_recalled_and_its_outcome_dropped() {
    let (started, mut starts) = mpsc::unbounded_channel();
    let handler = Handler::of("long", move |run: Run| {
        let started = started.clone();
        async move {
            started.send(()).unwrap();
            run.cancelled().await;
        }
    });
    let engine = builder(&store()).register(handler).start().await.unwrap();
    let added = engine.add(New::kind("long", "")).await.unwrap();
    starts.recv().await;
    let task = engine.get(added.id).await.unwrap().unwrap();
    engine.act(task.id, Guard::Grant(task.grant), Deed::Cancel).await.unwrap();
    let task = until(&engine, added.id, Status::Cancelled).await;
    assert_eq!(task.worker, None);
    let stale = engine.act(task.id, Guard::Grant(task.grant), Deed::Cancel).await.unwrap_err();
    assert!(stale.to_string().contains("changed meanwhile"), "{stale}");
    // The slot is free again: drain has nothing to wait for.
    assert_eq!(engine.drain().await.unwrap().left_behind, 0);
}

#[tokio::test]
async fn a_drain_gives_back_what_does_not_end_and_counts_no_attempt() {
    let (started, mut starts) = mpsc::unbounded_channel();
    let handler = Handler::of("endless", move |_: Run| {
        let started = started.clone();
        async move {
            started.send(()).unwrap();
            std::future::pending::<()>().await;
        }
    });
    let store = store();
    let engine = builder(&store)
        .configure(|config| config.grace = Duration::from_millis(20))
        .register(handler)
        .start()
        .await
        .unwrap();
    let added = engine.add(New::kind("endless", "")).await.unwrap();
    starts.recv().await;
    let drained = engine.drain().await.unwrap();
    assert_eq!((drained.given_back, drained.left_behind), (1, 0));
    let task = engine.get(added.id).await.unwrap().unwrap();
    assert_eq!((task.status, task.attempt, task.worker), (Status::Ready, 0, None));
    assert!(engine.workers().await.unwrap().iter().all(|worker| worker.dead));
}

#[tokio::test]
async fn a_drained_engine_runs_nothing_but_still_adds_and_answers() {
    let engine = builder(&store()).handle(|_: Run, _: Mail| async {}).start().await.unwrap();
    let _ = engine.drain().await.unwrap();
    let added = engine.add(mail("later")).await.unwrap();
    assert_eq!(engine.get(added.id).await.unwrap().unwrap().status, Status::Ready);
    assert_eq!(engine.drain().await.unwrap().given_back, 0);
}

#[tokio::test]
async fn a_dropped_engine_gives_its_runs_back_to_another() {
    let (started, mut starts) = mpsc::unbounded_channel();
    let store = store();
    let stuck = Handler::of("work", move |_: Run| {
        let started = started.clone();
        async move {
            started.send(()).unwrap();
            std::future::pending::<()>().await;
        }
    });
    let first = builder(&store).register(stuck).start().await.unwrap();
    let added = first.add(New::kind("work", "")).await.unwrap();
    starts.recv().await;
    drop(first);
    let second = builder(&store).register(Handler::of("work", |_: Run| async {})).start().await.unwrap();
    let task = until(&second, added.id, Status::Done).await;
    assert_eq!((task.attempt, task.lost), (1, 0));
}

#[tokio::test]
async fn steps_are_saved_under_one_grant() {
    let handler = Handler::of("machine", |run: Run| async move {
        match run.task().step.as_deref() {
            None => Outcome::step("scan"),
            Some("scan") => Outcome::step("check"),
            Some(_) => Outcome::Done,
        }
    });
    let engine = builder(&store()).register(handler).start().await.unwrap();
    let added = engine.add(New::kind("machine", "")).await.unwrap();
    let task = until(&engine, added.id, Status::Done).await;
    assert_eq!((task.step.as_deref(), task.attempt, task.grant.get()), (Some("check"), 1, 1));
}

#[tokio::test]
async fn a_parked_task_is_finished_by_its_token_once() {
    let (sent, mut tokens) = mpsc::unbounded_channel();
    let handler = Handler::of("ask", move |run: Run| {
        let sent = sent.clone();
        async move {
            sent.send(run.token()).unwrap();
            Outcome::Later { until: steadfast::When::After(Duration::from_secs(60)) }
        }
    });
    let engine = builder(&store()).register(handler).start().await.unwrap();
    let added = engine.add(New::kind("ask", "")).await.unwrap();
    let token = tokens.recv().await.unwrap();
    until(&engine, added.id, Status::Parked).await;
    engine.finish(token, Outcome::Done).await.unwrap();
    until(&engine, added.id, Status::Done).await;
    assert!(matches!(engine.finish(token, Outcome::Done).await, Err(Error::Lost)));
}

#[tokio::test]
async fn serial_tasks_run_one_at_a_time_in_order() {
    let (heard, mut told) = mpsc::unbounded_channel();
    let engine = builder(&store())
        .handle(move |_: Run, mail: Mail| {
            let heard = heard.clone();
            async move {
                tokio::task::yield_now().await;
                heard.send(mail.to).unwrap();
            }
        })
        .start()
        .await
        .unwrap();
    for n in 0..50 {
        engine.add(New::of(mail(&n.to_string())).serial("account-1")).await.unwrap();
    }
    for n in 0..50 {
        assert_eq!(told.recv().await, Some(n.to_string()));
    }
}

#[tokio::test]
async fn a_run_past_its_deadline_is_taken_away_and_tried_again() {
    let (started, mut starts) = mpsc::unbounded_channel();
    let handler = Handler::of("hangs", move |run: Run| {
        let started = started.clone();
        async move {
            started.send(run.task().attempt).unwrap();
            if run.task().attempt == 1 {
                std::future::pending::<()>().await;
            }
        }
    });
    // Longer than a stopped run may take to tidy up, as the second run waits for the first.
    let policy = quick(|policy| policy.deadline = Duration::from_millis(800));
    let engine = builder(&store())
        .configure(|config| {
            config.lease = Duration::from_millis(600);
            config.sweep = Duration::from_millis(20);
        })
        .register(handler.policy(policy))
        .start()
        .await
        .unwrap();
    let added = engine.add(New::kind("hangs", "")).await.unwrap();
    assert_eq!(starts.recv().await, Some(1));
    assert_eq!(starts.recv().await, Some(2));
    let task = until(&engine, added.id, Status::Done).await;
    assert_eq!(task.errors.last(), Some("deadline passed"));
}

#[tokio::test]
async fn one_handler_serves_many_kinds_by_prefix_and_suffix() {
    let (heard, mut told) = mpsc::unbounded_channel();
    let say = |heard: &mpsc::UnboundedSender<String>, who: &'static str| {
        let heard = heard.clone();
        move |run: Run| {
            let heard = heard.clone();
            async move { heard.send(format!("{who} {}", run.task().kind)).unwrap() }
        }
    };
    let engine = builder(&store())
        .register(Handler::prefix("mail.", say(&heard, "any")))
        .register(Handler::prefix("mail.bulk.", say(&heard, "bulk")))
        .register(Handler::of("mail.urgent", say(&heard, "urgent")))
        .start()
        .await
        .unwrap();
    for (kind, expected) in [
        ("mail.welcome", "any mail.welcome"),
        ("mail.bulk.may", "bulk mail.bulk.may"),
        ("mail.urgent", "urgent mail.urgent"),
        ("mail.urgent|PARTNER", "urgent mail.urgent|PARTNER"),
    ] {
        engine.add(New::kind(kind, "")).await.unwrap();
        assert_eq!(told.recv().await.as_deref(), Some(expected));
    }
}

#[tokio::test]
async fn a_kind_without_a_handler_waits_for_one() {
    let store = store();
    let caller = builder(&store).start().await.unwrap();
    let added = caller.add(New::kind("new.kind", "")).await.unwrap();
    let old = builder(&store).handle(|_: Run, _: Mail| async {}).start().await.unwrap();
    let known = old.add(mail("x")).await.unwrap();
    until(&old, known.id, Status::Done).await;
    assert_eq!(caller.get(added.id).await.unwrap().unwrap().status, Status::Ready);
    let new = builder(&store).register(Handler::of("new.kind", |_: Run| async {})).start().await.unwrap();
    until(&new, added.id, Status::Done).await;
}

#[tokio::test]
async fn retention_delete_leaves_nothing() {
    let handler =
        Handler::of("gone", |_: Run| async {}).policy(quick(|policy| policy.retention = Retention::Delete));
    let engine = builder(&store()).register(handler).start().await.unwrap();
    let added = engine.add(New::kind("gone", "")).await.unwrap();
    while engine.get(added.id).await.unwrap().is_some() {
        tokio::task::yield_now().await;
    }
    assert!(engine.count(Filter::default()).await.unwrap().is_empty());
}

#[tokio::test]
async fn bad_input_is_refused_with_what_to_do_and_nothing_is_added() {
    let engine = builder(&store()).configure(|config| config.payload_bytes_max = 10).start().await.unwrap();
    let far = std::time::UNIX_EPOCH + Duration::from_secs(400_000_000_000);
    for (new, expected) in [
        (New::kind("", ""), "kind is empty; give it at least one character"),
        (New::kind("k".repeat(201), ""), "kind has 201 bytes, at most 200 are allowed; shorten it"),
        (New::kind("a\0b", ""), "kind holds the control character '\\0' at byte 1; remove it"),
        (New::kind("k", "").priority(10), "priority 10 is out of range; use 0 (most urgent) to 9"),
        (New::kind("k", "").priority(-1), "priority -1 is out of range; use 0 (most urgent) to 9"),
        (
            New::kind("k", "12345678901"),
            "payload of 11 bytes is over the limit of 10; store it elsewhere and pass a reference",
        ),
        (New::kind("k", "").key(""), "key is empty; give it at least one character"),
        (
            New::kind("k", "").search1("a\nb"),
            "search1 holds the control character '\\n' at byte 1; remove it",
        ),
        (
            New::kind("k", "").at(far),
            "time 400000000000000000 µs since 1970 is out of range; use a time from 1970 to 9999",
        ),
        (
            New::kind("k", "").at(std::time::UNIX_EPOCH - Duration::from_secs(1)),
            "time -1000000 µs since 1970 is out of range; use a time from 1970 to 9999",
        ),
    ] {
        let error = engine.add(new).await.unwrap_err();
        assert!(matches!(error, Error::Store(StoreError::Refused(_))), "{error:?}");
        assert_eq!(error.to_string(), expected);
    }
    assert!(engine.count(Filter::default()).await.unwrap().is_empty());
}

#[tokio::test]
async fn wrong_handlers_and_settings_fail_at_the_start() {
    let twice = builder(&store()).handle(|_: Run, _: Mail| async {}).handle(|_: Run, _: Mail| async {});
    assert_eq!(twice.start().await.unwrap_err().to_string(), "two handlers for `mail`; keep one of each");
    let none = builder(&store()).configure(|config| config.slots = 0);
    assert_eq!(none.start().await.unwrap_err().to_string(), "slots is 0; give the engine at least one");
    let zero = builder(&store()).register(Handler::of("k", |_: Run| async {}).limit(0));
    assert_eq!(zero.start().await.unwrap_err().to_string(), "kind `k`: limit is 0; nothing could run");
    let unknown = steadfast::connect("oracle:x").await.unwrap_err();
    assert!(
        unknown.to_string().starts_with("cannot connect to `oracle:x`: no store for `oracle:` in this build")
    );
}

#[tokio::test]
async fn ten_thousand_tasks_over_two_engines_run_once_each() {
    let runs: Arc<Vec<AtomicUsize>> = Arc::new((0..10_000).map(|_| AtomicUsize::new(0)).collect());
    let store = store();
    let handler = |runs: &Arc<Vec<AtomicUsize>>| {
        let runs = runs.clone();
        Handler::of("count", move |run: Run| {
            let runs = runs.clone();
            async move {
                let n: usize = run.payload().unwrap();
                runs[n].fetch_add(1, Ordering::SeqCst);
            }
        })
        .policy(quick(|policy| policy.retention = Retention::Delete))
    };
    let first = builder(&store).register(handler(&runs)).start().await.unwrap();
    let second = builder(&store).register(handler(&runs)).start().await.unwrap();
    let news = (0..10_000).map(|n: usize| New::json("count", &n));
    for chunk in news.collect::<Vec<_>>().chunks(500) {
        first.add_many(chunk.to_vec()).await.unwrap();
    }
    tokio::time::timeout(Duration::from_secs(30), async {
        while !second.count(Filter::default()).await.unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("all tasks end");
    assert!(runs.iter().all(|runs| runs.load(Ordering::SeqCst) == 1));
}

#[tokio::test]
async fn what_lies_in_an_old_bucket_is_served_until_it_is_gone() {
    let store = store();
    let bucket = |name| quick(|policy| policy.bucket = steadfast::Bucket::new(name).unwrap());
    let handler = || Handler::of("moves", |_: Run| async {});
    let old = builder(&store).register(handler().policy(bucket("old"))).configure(|config| config.slots = 1);
    let old = old.start().await.unwrap();
    let later = New::kind("moves", "").after(Duration::from_millis(300));
    let added = old.add(later).await.unwrap();
    assert_eq!(old.drain().await.unwrap().left_behind, 0);
    let new = builder(&store).register(handler().policy(bucket("new"))).start().await.unwrap();
    let task = until(&new, added.id, Status::Done).await;
    assert_eq!(task.bucket.as_str(), "old");
}

#[tokio::test]
async fn a_run_adds_children_that_know_their_parent_and_its_context() {
    let parent = Handler::of("parent", |run: Run| async move {
        let child = New::kind("child", "").context("own", "2");
        run.add(child).await.map(|added| run.output(added.id.to_string()))
    });
    let child = Handler::of("child", |_: Run| async {});
    let engine = builder(&store()).register(parent).register(child).start().await.unwrap();
    let id = engine.add(New::kind("parent", "").context("trace", "1").context("own", "1")).await.unwrap().id;
    let parent = engine.wait(id).await.unwrap().unwrap();
    let child: TaskId = parent.output.unwrap().parse().unwrap();
    let child = engine.wait(child).await.unwrap().unwrap();
    assert_eq!((child.status, child.parent), (Status::Done, Some(id)));
    let context: Vec<_> = child.context.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(context, ["own=2", "trace=1"]);
    assert_eq!(engine.wait(TaskId::new(1, [2, 3])).await.unwrap(), None);
}
