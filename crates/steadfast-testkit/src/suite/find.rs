//! Finding and counting tasks.

use super::{Case, case};
use crate::ground::{Ground, expect, in_s, kind};
use crate::random::Random;
use steadfast_core::limit::PAGE_MAX;
use steadfast_core::seam::Count;
use steadfast_core::{Bucket, Cursor, Filter, Key, NewTask, Retention, Scope, Status, Task, TaskId, To};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(nothing_is_found_in_an_empty_store),
        case(the_newest_task_is_found_first),
        case(found_tasks_come_without_their_payload),
        case(pages_meet_every_task_once),
        case(the_last_page_says_so),
        case(a_page_is_never_larger_than_its_limit),
        case(new_tasks_do_not_disturb_the_pages_behind_them),
        case(each_condition_finds_what_meets_it),
        case(any_filter_finds_what_it_accepts).rounds(3),
        case(tasks_are_counted_by_kind_and_status),
        case(a_task_is_read_by_its_id_living_or_ended),
        case(an_unknown_task_is_not_there),
    ]
}

async fn find(ground: &Ground, filter: Filter, n_max: usize) -> Vec<TaskId> {
    let page = expect(ground.store.find(filter, None, n_max)).await;
    page.tasks.iter().map(|task| task.id).collect()
}

/// All pages of this size, one after another.
async fn pages(ground: &Ground, filter: &Filter, n_max: usize) -> Vec<Task> {
    let (mut tasks, mut after) = (Vec::new(), None);
    loop {
        let page = expect(ground.store.find(filter.clone(), after, n_max)).await;
        assert!(page.tasks.len() <= n_max);
        tasks.extend(page.tasks);
        after = page.next;
        if after.is_none() {
            return tasks;
        }
    }
}

async fn nothing_is_found_in_an_empty_store(ground: Ground) {
    let page = expect(ground.store.find(Filter::default(), None, 10)).await;
    assert!(page.tasks.is_empty() && page.next.is_none());
    assert!(expect(ground.store.count(Filter::default())).await.is_empty());
}

async fn the_newest_task_is_found_first(ground: Ground) {
    let mut ids = ground.add_n("mail", 5).await;
    ids.reverse();
    assert_eq!(find(&ground, Filter::default(), 10).await, ids);
    assert_eq!(find(&ground, Filter::default(), 2).await, ids[..2]);
}

async fn found_tasks_come_without_their_payload(ground: Ground) {
    let id = ground.add(ground.task("mail")).await;
    let whole = ground.get(id).await;
    let page = expect(ground.store.find(Filter::default(), None, 10)).await;
    assert_eq!(page.tasks, [Task { payload: None, ..whole }]);
    assert_eq!(page.tasks[0].payload_len, 7);
}

async fn pages_meet_every_task_once(ground: Ground) {
    let mut ids = ground.add_n("mail", 23).await;
    ids.reverse();
    for n_max in [1, 4, 22, 23, 24] {
        let tasks = pages(&ground, &Filter::default(), n_max).await;
        assert_eq!(tasks.iter().map(|task| task.id).collect::<Vec<_>>(), ids);
    }
}

async fn the_last_page_says_so(ground: Ground) {
    let ids = ground.add_n("mail", 4).await;
    let page = expect(ground.store.find(Filter::default(), None, 3)).await;
    assert_eq!(page.next, Some(Cursor(ids[1])));
    let page = expect(ground.store.find(Filter::default(), page.next, 3)).await;
    assert_eq!((page.tasks.len(), page.next), (1, None));
    assert_eq!(expect(ground.store.find(Filter::default(), None, 4)).await.next, None);
}

// MD-02, MD-03, MD-04.
async fn a_page_is_never_larger_than_its_limit(ground: Ground) {
    ground.add_n("mail", PAGE_MAX + 1).await;
    let page = expect(ground.store.find(Filter::default(), None, usize::MAX)).await;
    assert_eq!(page.tasks.len(), PAGE_MAX);
    assert!(page.next.is_some());
}

async fn new_tasks_do_not_disturb_the_pages_behind_them(ground: Ground) {
    let ids = ground.add_n("mail", 4).await;
    let page = expect(ground.store.find(Filter::default(), None, 2)).await;
    ground.add_n("mail", 3).await;
    let page = expect(ground.store.find(Filter::default(), page.next, 2)).await;
    assert_eq!(page.tasks.iter().map(|task| task.id).collect::<Vec<_>>(), [ids[1], ids[0]]);
}

// MG-14, MG-15.
async fn each_condition_finds_what_meets_it(ground: Ground) {
    let before = ground.now();
    ground.add_n("mail", 3).await;
    ground.pass_s(10);
    let parent = ground.id();
    let wanted = ground
        .add(NewTask {
            bucket: Bucket::new("west").unwrap(),
            when: in_s(60),
            key: Some(Key::id("own 1")),
            search1: Some("one".into()),
            search2: Some("two".into()),
            parent: Some(parent),
            ..ground.task("pay")
        })
        .await;
    let filters = [
        Filter { status: Some(Status::Waiting), ..Filter::default() },
        Filter { bucket: Some(Bucket::new("west").unwrap()), ..Filter::default() },
        Filter { kind: Some(kind("pay")), ..Filter::default() },
        Filter { key: Some(Key::id("own 1")), ..Filter::default() },
        Filter { search1: Some("one".into()), ..Filter::default() },
        Filter { search2: Some("two".into()), ..Filter::default() },
        Filter { parent: Some(parent), ..Filter::default() },
        Filter { since: Some(ground.now()), ..Filter::default() },
    ];
    for filter in filters {
        assert_eq!(find(&ground, filter.clone(), 10).await, [wanted], "{filter:?}");
    }
    let until = Filter { until: Some(ground.now()), since: Some(before), ..Filter::default() };
    assert_eq!(find(&ground, until, 10).await.len(), 3);
    let other_space = Filter { key: Some(Key::key("own 1")), ..Filter::default() };
    assert!(find(&ground, other_space, 10).await.is_empty());
    let worker = ground.worker().await;
    let run = ground.running_as(worker, ground.task("run")).await;
    assert_eq!(find(&ground, Filter { worker: Some(worker), ..Filter::default() }, 10).await, [run.id]);
}

/// Some of a few values, so that they meet often.
fn some(random: &mut Random, of: &[&str]) -> Option<String> {
    random.percent(50).then(|| (*random.pick(of)).to_owned())
}

// TT-01, TT-03.
async fn any_filter_finds_what_it_accepts(ground: Ground) {
    let mut random = Random::new(ground.seed);
    let (buckets, kinds, texts) = (["east", "west"], ["mail", "pay", "pay|x"], ["a", "A", "ä", "a%"]);
    let mut all = Vec::new();
    for _ in 0..60 {
        let kind_name = *random.pick(&kinds);
        let new = NewTask {
            bucket: Bucket::new(random.pick(&buckets)).unwrap(),
            when: in_s(random.next() % 2),
            serial: some(&mut random, &texts),
            search1: some(&mut random, &texts),
            search2: some(&mut random, &texts),
            ..ground.task(kind_name)
        };
        let id = ground.add(new).await;
        all.push(Task { payload: None, ..ground.get(id).await });
        ground.pass_s(random.next() % 2);
    }
    all.reverse();
    for _ in 0..60 {
        let statuses = [Status::Ready, Status::Waiting, Status::Held];
        let times: Vec<_> = all.iter().map(|task| task.created_at).collect();
        let filter = Filter {
            scope: Scope::Live,
            status: random.percent(30).then(|| *random.pick(&statuses)),
            bucket: some(&mut random, &buckets).map(|name| Bucket::new(name).unwrap()),
            kind: some(&mut random, &kinds).map(|name| kind(&name)),
            serial: some(&mut random, &texts).filter(|_| random.percent(30)),
            search1: some(&mut random, &texts).filter(|_| random.percent(50)),
            search2: some(&mut random, &texts).filter(|_| random.percent(50)),
            since: random.percent(30).then(|| *random.pick(&times)),
            until: random.percent(30).then(|| *random.pick(&times)),
            ..Filter::default()
        };
        let wanted: Vec<Task> = all.iter().filter(|task| filter.accepts(task)).cloned().collect();
        assert_eq!(pages(&ground, &filter, 7).await, wanted, "{filter:?}");
        let counted: u64 = expect(ground.store.count(filter)).await.iter().map(|count| count.n).sum();
        assert_eq!(counted, wanted.len() as u64);
    }
}

// DA-14, DA-15, MG-17.
async fn tasks_are_counted_by_kind_and_status(ground: Ground) {
    ground.add_n("mail", 3).await;
    ground.add(NewTask { when: in_s(9), ..ground.task("mail") }).await;
    let worker = ground.worker().await;
    let task = ground.running_as(worker, ground.task("pay")).await;
    let count = |name: &str, status, n| Count { kind: kind(name), status, n };
    let mut counts = expect(ground.store.count(Filter::default())).await;
    counts.sort();
    let wanted = [
        count("mail", Status::Waiting, 1),
        count("mail", Status::Ready, 3),
        count("pay", Status::Running, 1),
    ];
    assert_eq!(counts, wanted);
    let _ = ground.end(&task, To::Done(Retention::History)).await;
    let history = Filter { scope: Scope::History, ..Filter::default() };
    assert_eq!(expect(ground.store.count(history)).await, [count("pay", Status::Done, 1)]);
    let mails = Filter { kind: Some(kind("mail")), status: Some(Status::Ready), ..Filter::default() };
    assert_eq!(expect(ground.store.count(mails)).await, [count("mail", Status::Ready, 3)]);
}

// MD-05, MG-04.
async fn a_task_is_read_by_its_id_living_or_ended(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    assert_eq!(ground.find(task.id).await, Some(task.clone()));
    let _ = ground.end(&task, To::Done(Retention::History)).await;
    assert_eq!(ground.find(task.id).await.map(|task| task.status), Some(Status::Done));
}

async fn an_unknown_task_is_not_there(ground: Ground) {
    assert_eq!(ground.find(ground.id()).await, None);
    assert_eq!(expect(ground.store.payload(ground.id())).await, None);
    assert_eq!(expect(ground.store.look_up(Key::id("nobody"))).await, None);
}
