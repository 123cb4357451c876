//! Texts are kept to the letter, whatever they say to a database, a log or a terminal, and however alike they look.

use super::{Case, case};
use crate::ground::{Ground, demand, expect, fence, ids, kind, offer, to};
use std::collections::BTreeMap;
use steadfast_core::seam::{Cause, Grab, Register, Save};
use steadfast_core::{
    Bucket, ClusterLimit, ClusterPath, Deed, Errors, Filter, Key, NewTask, Policy, Retention, Scope, Status,
    Task, TaskId, To,
};

/// What people and machines write into names.
const ODD: [&str; 24] = [
    "größe",
    "日本語",
    "🦀 crab",
    "e\u{301}",
    "\u{202e}abc",
    "a\u{200b}b",
    "\u{feff}",
    " ",
    " a ",
    "'; drop table task; --",
    "\"; drop table steadfast.task; --",
    "`; drop table steadfast_task; #",
    "') or ('1'='1",
    "1' union select null--",
    "/* */",
    "%_\\",
    "\\'",
    "\\\\x00",
    "${jndi:x}",
    "{{7*7}}",
    "<script>alert(1)</script>",
    "$1 ?1 :name @x",
    "{\"a\":[1,null]}",
    "null",
];

/// Reports of handlers may hold whatever they like; NUL alone no store can keep.
const REPORTS: [&str; 4] = ["line\nline\r\n\tend", "\u{1b}[31mred", "\u{7f}\u{85}\u{2028}", "\u{10ffff}"];

/// Texts that a collation may take for one another.
const ALIKE: [&str; 16] = [
    "mail",
    "Mail",
    "MAIL",
    "mäil",
    "ma\u{308}il",
    "mail ",
    " mail",
    "ma\u{ad}il",
    "mail\u{200b}",
    "ｍail",
    "ss",
    "ß",
    "ſs",
    "i",
    "ı",
    "İ",
];

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(odd_texts_come_back_from_every_field),
        case(odd_texts_are_found),
        case(odd_reports_come_back),
        case(odd_names_of_workers_kinds_and_limits_come_back),
        case(an_operator_may_write_odd_texts),
        case(texts_that_look_alike_are_different),
        case(limits_and_serial_keys_that_look_alike_are_different),
    ]
}

/// A task that has the text wherever it can.
fn full_of(ground: &Ground, text: &str) -> NewTask {
    NewTask {
        bucket: Bucket::new(text).unwrap(),
        subkind: Some(text.into()),
        step: Some(text.into()),
        key: Some(Key::id(text)),
        serial: Some(text.into()),
        search1: Some(text.into()),
        search2: Some(text.into()),
        context: BTreeMap::from([(text.into(), text.into())]),
        ..ground.task(text)
    }
}

async fn odd_texts_come_back_from_every_field(ground: Ground) {
    let worker = ground.worker().await;
    for text in ODD {
        let new = full_of(&ground, text);
        let id = ground.add(new.clone()).await;
        let seen = ground.get(id).await;
        assert_eq!(seen, Task::added(new, seen.seq, ground.now()), "{text}, added");
        ground.release(&[text]).await;
        let bucket = Bucket::new(text).unwrap();
        let grabbed = ground.grab_demands(worker, &bucket, vec![demand(text, 1)]).await;
        assert_eq!(grabbed, [ground.get(id).await], "{text}, grabbed");
        let _ = ground.end(&grabbed[0], To::Done(Retention::History)).await;
        let mut wanted = grabbed[0].clone();
        to(&grabbed[0], To::Done(Retention::History)).apply(&mut wanted, ground.now());
        assert_eq!(ground.get(id).await, wanted, "{text}, in the history");
    }
}

/// Every filter that takes a text, with the one task that it may find.
async fn check_found(ground: &Ground, scope: Scope, text: &str, id: TaskId) {
    let text = || text.to_owned();
    let all = || Filter { scope, ..Filter::default() };
    for filter in [
        Filter { kind: Some(kind(&text())), ..all() },
        Filter { bucket: Some(Bucket::new(&*text()).unwrap()), ..all() },
        Filter { key: Some(Key::id(text())), ..all() },
        Filter { serial: Some(text()), ..all() },
        Filter { search1: Some(text()), ..all() },
        Filter { search2: Some(text()), ..all() },
    ] {
        let found = expect(ground.store.find(filter.clone(), None, 100)).await;
        assert_eq!(ids(&found.tasks), [id], "{filter:?}");
        let counted = expect(ground.store.count(filter.clone())).await;
        assert_eq!(counted.iter().map(|count| count.n).sum::<u64>(), 1, "{filter:?}");
    }
}

async fn odd_texts_are_found(ground: Ground) {
    let mut added = Vec::new();
    for text in ODD {
        added.push((text, ground.add(full_of(&ground, text)).await));
    }
    for (text, id) in &added {
        check_found(&ground, Scope::Live, text, *id).await;
        assert_eq!(expect(ground.store.look_up(Key::id(*text))).await, Some(*id));
    }
    for (_, id) in &added {
        ground.act(*id, Deed::Cancel).await.unwrap();
    }
    for (text, id) in &added {
        check_found(&ground, Scope::History, text, *id).await;
    }
}

async fn odd_reports_come_back(ground: Ground) {
    let worker = ground.worker().await;
    for text in ODD.into_iter().chain(REPORTS) {
        let task = ground.running(worker).await;
        let save = Save { progress: Some(text.into()), ..ground.save_of(&task) };
        let _ = ground.save(save).await;
        assert_eq!(ground.get(task.id).await.progress.as_deref(), Some(text), "{text:?}");
        let errors = Errors::default().with(1, text);
        let mut change = to(&task, To::Failed);
        (change.errors, change.output) = (Some(errors.clone()), Some(text.into()));
        let _ = ground.finish(fence(&task), Cause::Holder, change).await;
        let ended = ground.get(task.id).await;
        assert_eq!((ended.errors, ended.output.as_deref()), (errors, Some(text)), "{text:?}");
    }
}

async fn odd_names_of_workers_kinds_and_limits_come_back(ground: Ground) {
    let worker = ground.stranger();
    let mut kinds = Vec::new();
    for text in ODD {
        let mut policy = Policy::default();
        policy.bucket = Bucket::new(text).unwrap();
        (policy.owner, policy.criticality) = (Some(text.into()), Some(text.into()));
        policy.cluster = vec![ClusterLimit { name: text.into(), max: 1 }];
        kinds.push((kind(text), policy));
        let register = Register {
            worker: ground.stranger(),
            name: text.into(),
            build: 1,
            offer: offer(&[text]),
            lease: Ground::LEASE,
        };
        expect(ground.store.register(register.clone())).await;
        let rows = expect(ground.store.workers()).await;
        let row = rows.into_iter().find(|row| row.worker == register.worker).unwrap();
        assert_eq!((row.name, row.offer), (register.name, register.offer));
    }
    expect(ground.store.declare(worker, 1, kinds.clone())).await;
    let mut rows: Vec<_> =
        expect(ground.store.kinds()).await.into_iter().map(|row| (row.kind, row.policy)).collect();
    kinds.sort_by(|one, other| one.0.cmp(&other.0));
    rows.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(rows, kinds);
}

async fn an_operator_may_write_odd_texts(ground: Ground) {
    for text in ODD {
        let id = ground.add(ground.task("mail")).await;
        ground.act(id, Deed::Rewrite { step: Some(text.into()), payload: None }).await.unwrap();
        let seen = ground.get(id).await;
        assert_eq!((seen.step.as_deref(), seen.status), (Some(text), Status::Ready));
    }
}

async fn texts_that_look_alike_are_different(ground: Ground) {
    let worker = ground.worker().await;
    let mut added = Vec::new();
    for text in ALIKE {
        let fresh = ground.add_all(vec![full_of(&ground, text)]).await.added[0];
        assert!(fresh.fresh, "{text:?}");
        added.push((text, fresh.id));
    }
    for (text, id) in &added {
        check_found(&ground, Scope::Live, text, *id).await;
    }
    ground.release(&ALIKE).await;
    for (text, id) in added {
        let bucket = Bucket::new(text).unwrap();
        let grabbed = ground.grab_demands(worker, &bucket, vec![demand(text, 100)]).await;
        assert_eq!(ids(&grabbed), [id], "{text:?}");
    }
}

async fn limits_and_serial_keys_that_look_alike_are_different(ground: Ground) {
    let worker = ground.worker().await;
    for text in ALIKE {
        ground.add(NewTask { serial: Some(text.into()), ..ground.task("mail") }).await;
    }
    ground.release(&ALIKE).await;
    for text in ALIKE {
        let under = ClusterPath::of(&[ClusterLimit { name: text.into(), max: 1 }], &kind("mail"));
        let grab = Grab {
            worker,
            bucket: Bucket::default(),
            demands: vec![(demand("mail", 2), Ground::DEADLINE)],
            under,
            durable: false,
        };
        let grabbed = expect(ground.store.grab(grab)).await;
        assert_eq!(grabbed.len(), 1, "{text:?}");
    }
    let running = Filter { status: Some(Status::Running), ..Filter::default() };
    assert_eq!(expect(ground.store.find(running, None, 100)).await.tasks.len(), ALIKE.len());
}
