//! What becomes of runs that fail, hang, or come back to their task later.

use super::{HOUR, Home, Scenario, at_once, end, scenario, until};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use steadfast::{
    BoxError, Deed, Engine, Guard, Handler, Hang, New, Outcome, Policy, Rest, Retry, Run, Status, Task, When,
};
use tokio::sync::mpsc;

pub(super) fn all() -> Vec<Scenario> {
    vec![
        scenario(every_failure_is_heard_and_counted),
        scenario(effects_are_kept_by_a_retry_and_failures_are_counted),
        scenario(effects_are_kept_by_a_wait_and_failures_are_forgotten),
        scenario(each_failure_has_its_delay_of_the_list),
        scenario(what_a_failed_run_says_is_what_the_next_one_gets),
        scenario(a_run_that_hangs_ends_in_error_and_runs_once),
        scenario(a_failure_is_recorded_at_once_and_not_when_a_lease_ends),
    ]
}

// RT-01, RT-02.
async fn every_failure_is_heard_and_counted(home: Arc<Home>) {
    let (heard, mut told) = mpsc::unbounded_channel();
    let builder = home.builder().await.around(move |run: Run, rest: Rest| {
        let heard = heard.clone();
        async move {
            let outcome = rest.run().await;
            if let Outcome::Retry { why, .. } = &outcome {
                heard.send((run.task().attempt, why.clone())).unwrap();
            }
            outcome
        }
    });
    let fails = Handler::of("fails", |_: Run| async { Err::<(), _>("always") }).policy(at_once(4));
    let engine = builder.register(fails).start().await.unwrap();
    let id = engine.add(New::kind("fails", "")).await.unwrap().id;
    let task = end(&engine, id).await;
    assert_eq!((task.status, task.attempt, task.failures), (Status::Error, 5, 5));
    for attempt in 1..=5 {
        assert_eq!(told.recv().await.unwrap(), (attempt, "always".to_owned()));
    }
    assert!(told.try_recv().is_err(), "five and no more");
}

/// A run that writes a row of its own and says this.
async fn writes(home: &Arc<Home>, says: Outcome) -> (Engine, Task) {
    let its = home.clone();
    let writes = Handler::of("writes", move |_: Run| its.effects(says.clone()));
    let engine = home.builder().await.register(writes).start().await.unwrap();
    let id = engine.add(New::kind("writes", "")).await.unwrap().id;
    let task = until(&engine, id, Status::Waiting).await;
    assert_eq!((task.attempt, home.rows().await), (1, 1));
    (engine, task)
}

// RT-03b.
async fn effects_are_kept_by_a_retry_and_failures_are_counted(home: Arc<Home>) {
    let (_engine, task) = writes(&home, Outcome::retry("once more").after(HOUR)).await;
    assert_eq!((task.failures, task.errors.last()), (1, Some("once more")));
}

// RT-03a, M-12.
async fn effects_are_kept_by_a_wait_and_failures_are_forgotten(home: Arc<Home>) {
    let (_engine, task) = writes(&home, Outcome::wait(HOUR)).await;
    assert_eq!((task.failures, task.errors.last()), (0, None));
}

// M-13: the list of delays, one after the other; at its end a person has to look.
async fn each_failure_has_its_delay_of_the_list(home: Arc<Home>) {
    let mut policy = Policy::default();
    policy.retry = Retry::list([10, 20, 30].map(Duration::from_secs));
    let fails = Handler::of("fails", |_: Run| async { Err::<(), _>("no answer") }).policy(policy);
    let engine = home.builder().await.register(fails).start().await.unwrap();
    let id = engine.add(New::kind("fails", "")).await.unwrap().id;
    for (failures, seconds) in [(1, 10), (2, 20), (3, 30)] {
        let task = until(&engine, id, Status::Waiting).await;
        assert_eq!(task.due_at.since(task.changed_at), Duration::from_secs(seconds));
        assert_eq!(task.failures, failures);
        engine.act(id, Guard::Version(task.version), Deed::Reschedule(When::Now)).await.unwrap();
    }
    assert_eq!(end(&engine, id).await.failures, 4);
}

// M-30, L-06: by what it says at its end, or by what it saved before.
async fn what_a_failed_run_says_is_what_the_next_one_gets(home: Arc<Home>) {
    let grows = Handler::of("grows", |run: Run| async move {
        let n: u32 = run.payload()?;
        Ok::<_, BoxError>(match n {
            0 => Outcome::retry("say").with(&1),
            1 => {
                run.save(&2).await?;
                return Err("save".into());
            }
            _ => Outcome::Done,
        })
    });
    let engine = home.builder().await.register(grows.policy(at_once(2))).start().await.unwrap();
    let id = engine.add(New::json("grows", &0)).await.unwrap().id;
    let task = end(&engine, id).await;
    assert_eq!((task.status, task.attempt), (Status::Done, 3));
    assert_eq!(task.payload.unwrap().bytes.as_ref(), b"2");
}

// TP-02, U-06.
async fn a_run_that_hangs_ends_in_error_and_runs_once(home: Arc<Home>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let counts = runs.clone();
    let mut policy = at_once(5);
    (policy.deadline, policy.hang) = (Duration::from_millis(100), Hang::Error);
    let hangs = Handler::of("hangs", move |_: Run| {
        counts.fetch_add(1, Ordering::SeqCst);
        std::future::pending::<()>()
    });
    let builder = super::sweeping(home.builder().await);
    let engine = builder.register(hangs.policy(policy)).start().await.unwrap();
    let id = engine.add(New::kind("hangs", "")).await.unwrap().id;
    let task = end(&engine, id).await;
    assert_eq!((task.status, runs.load(Ordering::SeqCst)), (Status::Error, 1));
}

// L-15.
async fn a_failure_is_recorded_at_once_and_not_when_a_lease_ends(home: Arc<Home>) {
    let fails = Handler::of("fails", |_: Run| async { Err::<(), _>("no answer") }).policy(at_once(0));
    let builder = home.builder().await.configure(|config| config.lease = HOUR);
    let engine = builder.register(fails).start().await.unwrap();
    let id = engine.add(New::kind("fails", "")).await.unwrap().id;
    let task = end(&engine, id).await;
    assert_eq!((task.status, task.failures, task.lost), (Status::Error, 1, 0));
    assert_eq!(task.errors.last(), Some("no answer"));
}
