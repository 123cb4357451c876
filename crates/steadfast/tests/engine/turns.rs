//! Who runs when: limits, serial keys, several engines on one store.

use super::common::{Mail, builder, mail, quick, store, until};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use steadfast::{Filter, Handler, New, Retention, Run, Status};
use tokio::sync::{Notify, mpsc};

// L-28.
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

// L-17.
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

/// What others have to run fills the window of every look: only the first would be found before the next sweep.
#[tokio::test]
async fn tasks_behind_a_crowd_of_others_kinds_need_no_sweep() {
    let store = store();
    let caller = builder(&store).start().await.unwrap();
    caller.add_many((0..1500).map(|_| New::kind("others", ""))).await.unwrap();
    caller.add_many((0..2500).map(|_| New::kind("ours", ""))).await.unwrap();
    let (heard, mut told) = mpsc::unbounded_channel();
    let ours = Handler::of("ours", move |_: Run| {
        let heard = heard.clone();
        async move { heard.send(()).unwrap() }
    });
    let engine = builder(&store).configure(|config| config.sweep = Duration::from_secs(600)).register(ours);
    let _engine = engine.start().await.unwrap();
    let all = async {
        for _ in 0..2500 {
            told.recv().await.unwrap();
        }
    };
    tokio::time::timeout(Duration::from_secs(30), all).await.expect("all of ours ran without a sweep");
}
