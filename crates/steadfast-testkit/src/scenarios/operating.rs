//! What a person or a program does to tasks from outside: each act by the version that it saw.

use super::{HOUR, Home, Scenario, add, at_once, end, get, scenario, until};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use steadfast::{
    Act, Acted, Bucket, Deed, Engine, Error, Filter, Guard, Handler, Kind, New, Outcome, Priority, Refusal,
    Run, Status, StoreError, Task, Time, When,
};
use tokio::sync::mpsc;

pub(super) fn all() -> Vec<Scenario> {
    vec![
        scenario(a_waiting_task_is_rescheduled_by_its_version),
        scenario(a_task_that_does_not_wait_for_its_time_is_not_rescheduled),
        scenario(a_waiting_task_is_cancelled_by_its_version),
        scenario(whatever_has_not_ended_can_be_cancelled),
        scenario(a_waiting_task_is_run_at_once_by_its_version),
        scenario(errors_are_found_newest_first_and_acknowledged_by_version),
        scenario(all_errors_of_a_kind_run_again),
    ]
}

async fn act(engine: &Engine, task: &Task, deed: Deed) -> Result<Acted, Refusal> {
    match engine.act(task.id, Guard::Version(task.version), deed).await {
        Ok(acted) => Ok(acted),
        Err(Error::Store(StoreError::Refused(refusal))) => Err(refusal),
        Err(other) => panic!("{other:?}"),
    }
}

/// The act is refused by whoever saw an older version, and the task stays as it is.
async fn check_stale(engine: &Engine, task: &Task, deed: Deed) -> Task {
    let urgent = Deed::Prioritise(Priority::new(1).unwrap());
    act(engine, task, urgent).await.unwrap();
    let now = get(engine, task.id).await;
    let refused = act(engine, task, deed).await.unwrap_err();
    assert!(matches!(refused, Refusal::Stale { .. }), "{refused}");
    assert_eq!(get(engine, task.id).await, now);
    now
}

fn an_hour_ago() -> When {
    When::At(Time::from_system("time", SystemTime::now() - HOUR).unwrap())
}

async fn mailing(home: &Home) -> Engine {
    let builder = home.builder().await;
    builder.register(Handler::of("mail", |_: Run| async {})).start().await.unwrap()
}

// RS-01, RS-02.
async fn a_waiting_task_is_rescheduled_by_its_version(home: Arc<Home>) {
    let engine = mailing(&home).await;
    let task = add(&engine, New::kind("mail", "").after(HOUR)).await;
    let seen = check_stale(&engine, &task, Deed::Reschedule(an_hour_ago())).await;
    assert_eq!(act(&engine, &seen, Deed::Reschedule(an_hour_ago())).await.unwrap().status, Status::Ready);
    assert_eq!(end(&engine, task.id).await.status, Status::Done);
}

/// Tasks that run, are parked, wait for a person, and have ended.
async fn one_of_each(home: &Home) -> (Engine, Vec<Task>) {
    let (begun, mut begins) = mpsc::unbounded_channel();
    let flow = Handler::of("flow", move |run: Run| {
        let begun = begun.clone();
        async move {
            match run.bytes() {
                b"running" => {
                    begun.send(()).unwrap();
                    run.cancelled().await;
                    Outcome::Done
                }
                b"parked" => Outcome::later(HOUR),
                b"error" => Outcome::fail("no"),
                _ => Outcome::Done,
            }
        }
    });
    let engine = home.builder().await.register(flow).start().await.unwrap();
    let mut tasks = Vec::new();
    for status in [Status::Running, Status::Parked, Status::Error, Status::Done] {
        let id = engine.add(New::kind("flow", status.to_string())).await.unwrap().id;
        if status == Status::Running {
            begins.recv().await.unwrap();
        }
        tasks.push(until(&engine, id, status).await);
    }
    (engine, tasks)
}

// RS-03: what runs, is parked, needs a person or has ended keeps its time.
async fn a_task_that_does_not_wait_for_its_time_is_not_rescheduled(home: Arc<Home>) {
    let (engine, tasks) = one_of_each(&home).await;
    for task in tasks {
        let refused = act(&engine, &task, Deed::Reschedule(an_hour_ago())).await.unwrap_err();
        assert!(matches!(refused, Refusal::Status { .. }), "{}: {refused}", task.status);
        assert_eq!(get(&engine, task.id).await, task);
    }
    // A pause and its release go by the version too.
    let task = add(&engine, New::kind("flow", "").after(HOUR)).await;
    act(&engine, &task, Deed::Pause).await.unwrap();
    let paused = get(&engine, task.id).await;
    assert_eq!(act(&engine, &paused, Deed::Release).await.unwrap().status, Status::Waiting);
}

// CA-01, CA-02.
async fn a_waiting_task_is_cancelled_by_its_version(home: Arc<Home>) {
    let engine = mailing(&home).await;
    let task = add(&engine, New::kind("mail", "").after(HOUR)).await;
    let seen = check_stale(&engine, &task, Deed::Cancel).await;
    assert_eq!(act(&engine, &seen, Deed::Cancel).await.unwrap().status, Status::Cancelled);
    let ended = end(&engine, task.id).await;
    assert_eq!((ended.status, ended.attempt), (Status::Cancelled, 0));
}

// CA-03: in TwTasks only what waits; here all but what has ended, and a run is told to stop.
async fn whatever_has_not_ended_can_be_cancelled(home: Arc<Home>) {
    let (engine, tasks) = one_of_each(&home).await;
    for task in tasks {
        let acted = act(&engine, &task, Deed::Cancel).await;
        if task.status == Status::Done {
            assert!(matches!(acted, Err(Refusal::Status { .. })), "{acted:?}");
            assert_eq!(get(&engine, task.id).await, task);
        } else {
            assert_eq!(acted.unwrap().status, Status::Cancelled, "{}", task.status);
        }
    }
    // The recalled run is over, and what it said was dropped.
    let drained = engine.drain().await.unwrap();
    assert_eq!((drained.given_back, drained.left_behind), (0, 0));
}

// RE-01, RE-02, MG-11, MD-01.
async fn a_waiting_task_is_run_at_once_by_its_version(home: Arc<Home>) {
    let engine = mailing(&home).await;
    let task = add(&engine, New::kind("mail", "").after(HOUR)).await;
    let seen = check_stale(&engine, &task, Deed::Reschedule(When::Now)).await;
    act(&engine, &seen, Deed::Reschedule(When::Now)).await.unwrap();
    assert_eq!(end(&engine, task.id).await.status, Status::Done);
    // Nothing is run where nothing is taken: it is ready, due now, and goes on when the bucket does.
    engine.pause_bucket(Bucket::default()).await.unwrap();
    let done = get(&engine, task.id).await;
    act(&engine, &done, Deed::Again(When::Now)).await.unwrap();
    let ready = get(&engine, task.id).await;
    assert_eq!(ready.status, Status::Ready);
    assert!(ready.due_at <= engine.now().await.unwrap());
    engine.release_bucket(Bucket::default()).await.unwrap();
    assert_eq!(end(&engine, task.id).await.status, Status::Done);
}

async fn failing(home: &Home) -> Engine {
    let fails = Handler::prefix("fails.", |run: Run| async move {
        if run.task().errors.last().is_none() { Outcome::fail("the first time") } else { Outcome::Done }
    });
    home.builder().await.register(fails.policy(at_once(0))).start().await.unwrap()
}

// MG-01, MG-10, MD-02.
async fn errors_are_found_newest_first_and_acknowledged_by_version(home: Arc<Home>) {
    let engine = failing(&home).await;
    let mut ids = Vec::new();
    for subkind in ["first", "second"] {
        let id = engine.add(New::kind("fails.pay", "").subkind(subkind)).await.unwrap().id;
        let task = end(&engine, id).await;
        assert_eq!(task.status, Status::Error);
        ids.push(id);
        // Newest means by the millisecond.
        while engine.now().await.unwrap().since(task.created_at) < Duration::from_millis(2) {
            tokio::task::yield_now().await;
        }
    }
    add(&engine, New::kind("fails.pay", "").after(HOUR)).await;
    let errors = || Filter { status: Some(Status::Error), ..Filter::default() };
    let page = engine.find(errors(), None, 1).await.unwrap();
    let newest = &page.tasks[0];
    assert_eq!((page.tasks.len(), newest.id, newest.subkind.as_deref()), (1, ids[1], Some("second")));
    let rest = engine.find(errors(), page.next, 10).await.unwrap();
    assert_eq!(rest.tasks.iter().map(|task| task.id).collect::<Vec<_>>(), [ids[0]]);
    assert_eq!(act(&engine, newest, Deed::Ack).await.unwrap().status, Status::Failed);
    assert!(matches!(act(&engine, newest, Deed::Ack).await, Err(Refusal::Stale { .. })));
}

// MG-12.
async fn all_errors_of_a_kind_run_again(home: Arc<Home>) {
    let engine = failing(&home).await;
    let news = ["pay", "pay", "mail", "pay"].map(|kind| New::kind(format!("fails.{kind}"), ""));
    let added = engine.add_many(news).await.unwrap();
    for added in &added {
        assert_eq!(end(&engine, added.id).await.status, Status::Error);
    }
    let kind = Some(Kind::new("fails.pay").unwrap());
    let found = engine.find_all(Filter { kind, status: Some(Status::Error), ..Filter::default() }, 100).await;
    let again =
        |task: &Task| Act { id: task.id, guard: Guard::Version(task.version), deed: Deed::Again(When::Now) };
    let acted = engine.act_all(found.unwrap().iter().map(again).collect()).await.unwrap();
    assert_eq!(acted.iter().filter(|acted| acted.is_ok()).count(), 3);
    let mut ends = Vec::new();
    for added in added {
        ends.push(end(&engine, added.id).await.status);
    }
    assert_eq!(ends, [Status::Done, Status::Done, Status::Error, Status::Done]);
}
