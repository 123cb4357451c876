//! Several engines on one store: who takes what, who goes on when one is gone.

use super::tally::Tally;
use super::{Home, Scenario, add, at_once, end, get, scenario};
use std::sync::Arc;
use std::time::Duration;
use steadfast::{BoxError, Engine, Handler, New, Outcome, Run, Status};
use tokio::sync::{Notify, Semaphore, mpsc};

const TASKS: usize = 1000;
const ENGINES: usize = 5;

pub(super) fn all() -> Vec<Scenario> {
    vec![
        scenario(a_thousand_tasks_of_twenty_slots_run_once_each),
        scenario(a_full_engine_takes_nothing_more_and_another_does),
        scenario(an_idle_engine_is_woken_by_anothers_add),
        scenario(the_same_step_goes_on_under_the_same_grant),
        scenario(another_engine_goes_on_at_the_last_step),
        scenario(a_lost_callback_costs_only_time),
        scenario(an_engine_that_stops_gives_back_what_does_not_end),
    ]
}

// L-17, M-04, M-18.
async fn a_thousand_tasks_of_twenty_slots_run_once_each(home: Arc<Home>) {
    let tally = Tally::new(TASKS);
    let caller = home.builder().await.start().await.unwrap();
    let added = caller.add_many((0..TASKS).map(Tally::task)).await.unwrap();
    let mut engines = Vec::new();
    for _ in 0..ENGINES {
        let builder = home.builder().await.register(tally.handler());
        engines.push(builder.configure(|config| config.slots = 4).start().await.unwrap());
    }
    for added in added {
        let task = end(&caller, added.id).await;
        assert_eq!((task.status, task.attempt, task.grant.get()), (Status::Done, 1, 1));
    }
    tally.check();
}

/// An engine of two slots whose runs tell of their begin and wait to be let go.
async fn gated(home: &Home, begun: &mpsc::UnboundedSender<u32>, gate: &Arc<Semaphore>) -> Engine {
    let (begun, gate) = (begun.clone(), gate.clone());
    let waits = Handler::of("waits", move |run: Run| {
        let (begun, gate) = (begun.clone(), gate.clone());
        async move {
            begun.send(run.payload()?)?;
            gate.acquire().await?.forget();
            Ok::<_, BoxError>(())
        }
    });
    let builder = home.builder().await.register(waits).configure(|config| config.slots = 2);
    builder.start().await.unwrap()
}

// L-28, M-22, M-07.
async fn a_full_engine_takes_nothing_more_and_another_does(home: Arc<Home>) {
    let (gate, (begun, mut begins)) = (Arc::new(Semaphore::new(0)), mpsc::unbounded_channel());
    let full = gated(&home, &begun, &gate).await;
    let added = full.add_many((0..4_u32).map(|n| New::json("waits", &n))).await.unwrap();
    let mut first = [begins.recv().await.unwrap(), begins.recv().await.unwrap()];
    first.sort_unstable();
    assert_eq!(first, [0, 1]);
    for left in &added[2..] {
        let task = get(&full, left.id).await;
        assert_eq!((task.status, task.attempt, task.worker), (Status::Ready, 0, None));
    }
    let second = gated(&home, &begun, &gate).await;
    for _ in 0..2 {
        assert!(begins.recv().await.unwrap() >= 2);
    }
    gate.add_permits(added.len());
    for added in added {
        assert_eq!(end(&second, added.id).await.attempt, 1);
    }
}

// L-12, L-16: by a hint, as the sweep would come much later.
async fn an_idle_engine_is_woken_by_anothers_add(home: Arc<Home>) {
    let (begun, mut begins) = mpsc::unbounded_channel();
    let mail = Handler::of("mail", move |_: Run| {
        let begun = begun.clone();
        async move { begun.send(()).unwrap() }
    });
    let builder = home.builder().await.register(mail).configure(|config| config.sweep = super::HOUR);
    let idle = builder.start().await.unwrap();
    let adder = home.builder().await.start().await.unwrap();
    for _ in 0..20 {
        let id = add(&adder, New::kind("mail", "")).await.id;
        assert_eq!(super::patiently(begins.recv()).await, Some(Some(())), "a hint comes");
        assert_eq!(end(&idle, id).await.status, Status::Done);
    }
}

// L-30.
async fn the_same_step_goes_on_under_the_same_grant(home: Arc<Home>) {
    let polls = Handler::json("polls", |run: Run, n: u32| async move {
        assert!(n == 0 || run.task().step.as_deref() == Some("poll"), "at the step that was said");
        if n == 3 { Outcome::Done } else { Outcome::step("poll").with(&(n + 1)) }
    });
    let engine = home.builder().await.register(polls.policy(at_once(0))).start().await.unwrap();
    let id = engine.add(New::json("polls", &0)).await.unwrap().id;
    let task = end(&engine, id).await;
    assert_eq!((task.status, task.attempt, task.grant.get()), (Status::Done, 1, 1));
}

// L-07, L-18: another instance goes on in the last stored step with the last stored data.
async fn another_engine_goes_on_at_the_last_step(home: Arc<Home>) {
    let (begun, mut begins) = mpsc::unbounded_channel();
    let flow = |first: bool| {
        let begun = begun.clone();
        Handler::of("flow", move |run: Run| {
            let begun = begun.clone();
            async move {
                let n: u32 = run.payload()?;
                match run.task().step.as_deref() {
                    None => Ok::<_, BoxError>(Outcome::step("two").with(&(n + 1))),
                    Some("two") => Ok(Outcome::step("three").with(&(n + 1))),
                    Some("three") if first => {
                        run.save(&(n + 1)).await?;
                        begun.send(())?;
                        std::future::pending().await
                    }
                    Some(step) => {
                        run.output(format!("{step} {n}"));
                        Ok(Outcome::Done)
                    }
                }
            }
        })
    };
    let first = home.builder().await.register(flow(true)).start().await.unwrap();
    let id = first.add(New::json("flow", &0)).await.unwrap().id;
    begins.recv().await.unwrap();
    drop(first);
    let second = home.builder().await.register(flow(false)).start().await.unwrap();
    assert_eq!(end(&second, id).await.output.as_deref(), Some("three 3"));
}

// L-25: the call is lost, and the slow way ends the flow.
async fn a_lost_callback_costs_only_time(home: Arc<Home>) {
    let flow = Handler::of("flow", |run: Run| async move {
        match (run.task().step.as_deref(), run.task().failures) {
            (None, _) => Outcome::step("await"),
            (Some(_), 0) => Outcome::later(Duration::from_millis(30)),
            (Some(_), _) => Outcome::Done,
        }
    });
    let builder = super::sweeping(home.builder().await);
    let engine = builder.register(flow.policy(at_once(3))).start().await.unwrap();
    let id = engine.add(New::kind("flow", "")).await.unwrap().id;
    let task = end(&engine, id).await;
    assert_eq!((task.status, task.errors.last()), (Status::Done, Some("not finished in time")));
    assert_eq!(task.step.as_deref(), Some("await"));
}

// M-23: what ends in its grace time ends well, the rest goes on elsewhere and counts no attempt.
async fn an_engine_that_stops_gives_back_what_does_not_end(home: Arc<Home>) {
    let (begun, mut begins) = mpsc::unbounded_channel();
    let gate = Arc::new(Notify::new());
    let opens = gate.clone();
    let works = Handler::of("works", move |run: Run| {
        let (begun, gate) = (begun.clone(), gate.clone());
        async move {
            begun.send(()).unwrap();
            match run.bytes() {
                b"short" => gate.notified().await,
                _ => std::future::pending().await,
            }
        }
    });
    let builder = home.builder().await.register(works);
    let builder = builder.configure(|config| config.grace = Duration::from_millis(300));
    let stops = builder.start().await.unwrap();
    let short = stops.add(New::kind("works", "short")).await.unwrap().id;
    let long = stops.add(New::kind("works", "long")).await.unwrap().id;
    begins.recv().await.unwrap();
    begins.recv().await.unwrap();
    let (drained, ()) = tokio::join!(stops.drain(), async { opens.notify_one() });
    assert_eq!(drained.unwrap().given_back, 1);
    assert_eq!(end(&stops, short).await.status, Status::Done);
    let other = home.builder().await.register(Handler::of("works", |_: Run| async {}));
    let other = other.start().await.unwrap();
    let task = end(&other, long).await;
    assert_eq!((task.status, task.attempt, task.lost), (Status::Done, 1, 0));
}
