//! No field of a task is lost on the quick ways that a store may have for many tasks alike.

use super::{Case, case};
use crate::ground::{Ground, expect, fence, kind, s, to};
use std::collections::BTreeMap;
use steadfast_core::seam::{Add, Birth, Cause, Finish, Finished};
use steadfast_core::{
    Bucket, Compression, Demand, Filter, Key, Lane, NewTask, Payload, Priority, Retention, Task, Time, To,
    When, WorkerId,
};

/// Tasks that are alike: enough to fill any statement that takes many.
const ALIKE: usize = 32;

/// Sets one field of a task. The ones that differ from task to task are made of its id.
type Set = fn(&mut NewTask);

/// Fields that any task may have, also one that is born running.
const FIELDS: [(&str, Set); 12] = [
    ("nothing", |_| {}),
    ("subkind", |task| task.subkind = Some("welcome".into())),
    ("step", |task| task.step = Some("first".into())),
    ("search1", |task| task.search1 = Some("customer 1".into())),
    ("search2", |task| task.search2 = Some("order 7".into())),
    ("parent", |task| task.parent = Some(task.id)),
    ("context", |task| task.context = BTreeMap::from([("trace".into(), "1-2".into())])),
    ("bucket", |task| task.bucket = Bucket::new("west").expect("a good bucket")),
    ("priority", |task| task.priority = Priority::URGENT),
    ("compression", |task| task.payload.format.compression = Compression::Zstd),
    ("version", |task| task.payload.format.version = u32::MAX),
    ("payload", |task| task.payload = Payload::json("payload", &["a", "b"]).expect("a good payload")),
];

/// Fields of tasks that are never born running.
const FIELDS_OF_ADDS: [(&str, Set); 4] = [
    ("key", |task| task.key = Some(Key::key(task.id.to_string()))),
    ("id", |task| task.key = Some(Key::id(task.id.to_string()))),
    ("serial", |task| task.serial = Some(task.id.to_string())),
    ("when", |task| task.when = When::At(Time::from_micros(1))),
];

/// More than any store keeps in the row.
const LARGE: (&str, Set) = ("large", |task| task.payload = Payload::bytes(vec![7; 100_000]));

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(nothing_is_left_of_any_field_by_a_batch_that_is_not_kept),
        case(no_field_is_lost_by_a_batch_a_grab_or_a_finish),
        case(no_field_of_a_born_task_is_lost_by_a_batch_or_a_finish),
    ]
}

async fn no_field_is_lost_by_a_batch_a_grab_or_a_finish(ground: Ground) {
    let worker = ground.worker().await;
    for (field, set) in FIELDS.into_iter().chain(FIELDS_OF_ADDS) {
        let news = alike(&ground, field, set);
        ground.add_all(news.clone()).await;
        for new in &news {
            let seen = ground.get(new.id).await;
            assert_eq!(seen, Task::added(new.clone(), seen.seq, ground.now()), "{field}, added");
        }
        let serials: Vec<&str> = news.iter().filter_map(|new| new.serial.as_deref()).collect();
        ground.release(&serials).await;
        let grabbed = check_grab(&ground, worker, field, &news).await;
        check_finish(&ground, field, &grabbed).await;
    }
}

async fn no_field_of_a_born_task_is_lost_by_a_batch_or_a_finish(ground: Ground) {
    let worker = ground.worker().await;
    for (field, set) in FIELDS {
        let news = alike(&ground, field, set);
        let tasks = news.iter().map(|new| (new.clone(), s(60))).collect();
        let births = Some(Birth { worker, tasks });
        let born = expect(ground.store.add(Add { births, ..Add::default() })).await.born;
        assert_eq!(born.len(), ALIKE, "{field}");
        for (new, task) in news.into_iter().zip(&born) {
            let mut wanted = Task::added(new, task.seq, ground.now());
            wanted.granted(worker, s(60), ground.now());
            assert_eq!((task, ground.get(task.id).await), (&wanted, wanted.clone()), "{field}, born");
        }
        check_finish(&ground, field, &born).await;
    }
}

async fn nothing_is_left_of_any_field_by_a_batch_that_is_not_kept(ground: Ground) {
    let worker = ground.worker().await;
    for (field, set) in FIELDS.into_iter().chain(FIELDS_OF_ADDS).chain([LARGE]) {
        let mut news = alike(&ground, field, set);
        for new in &mut news {
            new.key_window = s(0);
        }
        ground.add_all(news.clone()).await;
        let serials: Vec<&str> = news.iter().filter_map(|new| new.serial.as_deref()).collect();
        ground.release(&serials).await;
        let grabbed = grab_alike(&ground, worker, field, &news).await;
        check_gone(&ground, field, &grabbed).await;
        // Under the same names all are new.
        let again =
            ground.add_all(news.iter().map(|new| NewTask { id: ground.id(), ..new.clone() }).collect()).await;
        assert!(again.added.iter().all(|added| added.fresh), "{field}");
        let (search1, search2, parent) = (news[0].search1.clone(), news[0].search2.clone(), news[0].parent);
        let filter = Filter { kind: Some(kind(field)), search1, search2, parent, ..Filter::default() };
        let found = expect(ground.store.find(filter, None, 2 * ALIKE)).await.tasks.len();
        assert_eq!(found, if parent.is_some() { 1 } else { ALIKE }, "{field}");
    }
}

/// Grabs all of these tasks at once.
async fn grab_alike(ground: &Ground, worker: WorkerId, field: &str, news: &[NewTask]) -> Vec<Task> {
    let (bucket, priority) = (&news[0].bucket, news[0].priority);
    let demand = Demand { kind: kind(field), priority, lane: Lane::Plain, n: ALIKE };
    ground.grab_demands(worker, bucket, vec![demand]).await
}

/// Finishes the tasks in one batch, so that nothing is kept of them.
async fn check_gone(ground: &Ground, field: &str, running: &[Task]) {
    let change = |task: &Task| to(task, To::Done(Retention::Delete));
    let finish = |task| Finish { fence: fence(task), cause: Cause::Holder, change: change(task) };
    let finished = ground.finish_all(running.iter().map(finish).collect()).await;
    assert!(!finished.contains(&Finished::Lost) && finished.len() == ALIKE, "{field}");
    for task in running {
        assert_eq!(ground.find(task.id).await, None, "{field}");
        assert_eq!(expect(ground.store.payload(task.id)).await, None, "{field}");
    }
}

/// Tasks of a kind of their own that have this field and no other.
fn alike(ground: &Ground, field: &str, set: Set) -> Vec<NewTask> {
    let mut news: Vec<NewTask> = (0..ALIKE).map(|_| ground.task(field)).collect();
    news.iter_mut().for_each(set);
    news
}

/// Grabs the tasks: they come as they stand, but for the grant.
async fn check_grab(ground: &Ground, worker: WorkerId, field: &str, news: &[NewTask]) -> Vec<Task> {
    let mut wanted = Vec::new();
    for new in news {
        let mut task = ground.get(new.id).await;
        task.granted(worker, Ground::DEADLINE, ground.now());
        wanted.push(task);
    }
    let mut grabbed = grab_alike(ground, worker, field, news).await;
    grabbed.sort_by_key(|task| task.id);
    assert_eq!(grabbed, wanted, "{field}, grabbed");
    for task in &grabbed {
        assert_eq!(ground.get(task.id).await, *task, "{field}, after its grab");
    }
    grabbed
}

/// Finishes the tasks in one batch: the history has them as they were, but for the end.
async fn check_finish(ground: &Ground, field: &str, running: &[Task]) {
    let change = |task: &Task| to(task, To::Done(Retention::History));
    let finish = |task| Finish { fence: fence(task), cause: Cause::Holder, change: change(task) };
    let _ = ground.finish_all(running.iter().map(finish).collect()).await;
    for task in running {
        let mut wanted = task.clone();
        change(task).apply(&mut wanted, ground.now());
        assert_eq!(ground.get(task.id).await, wanted, "{field}, in the history");
    }
}
