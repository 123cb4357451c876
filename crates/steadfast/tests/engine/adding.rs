//! Adding tasks and finding them again.

use super::common::{Mail, builder, mail, store, until};
use std::collections::BTreeSet;
use std::time::Duration;
use steadfast::{Error, Filter, Handler, New, Repeat, Run, Status, StoreError, TaskId};
use tokio::task::JoinSet;

// M-09.
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

// DA-01.
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
async fn all_that_a_filter_finds_goes_over_pages_up_to_a_bound() {
    let engine = builder(&store()).start().await.unwrap();
    engine.add_many((0..2_500).map(|_| New::kind("many", ""))).await.unwrap();
    for (n_max, expected) in [(0, 0), (7, 7), (1_000, 1_000), (1_001, 1_001), (usize::MAX, 2_500)] {
        let found = engine.find_all(Filter::default(), n_max).await.unwrap();
        let ids: BTreeSet<TaskId> = found.iter().map(|task| task.id).collect();
        assert_eq!((found.len(), ids.len()), (expected, expected), "at most {n_max}");
    }
}

#[tokio::test]
async fn a_repeat_replaces_what_still_waits_or_is_refused() {
    let engine = builder(&store()).handle(|_: Run, _: Mail| async {}).start().await.unwrap();
    let late = |to: &str| New::of(mail(to)).key("digest").after(Duration::from_secs(3600));
    let first = engine.add(late("ada")).await.unwrap();
    let second = engine.add(late("bob").on_repeat(Repeat::Replace)).await.unwrap();
    assert_eq!((second.id, second.fresh, second.replaced), (first.id, false, true));
    let refused = engine.add(late("eve").on_repeat(Repeat::Refuse)).await.unwrap_err();
    assert_eq!(refused.code(), "key-used");
    assert_eq!(
        refused.to_string(),
        format!("key `digest` belongs to task {}; see what became of that one", first.id)
    );
    // Due at once, it runs at once, with the payload of the last one that replaced it.
    let now = New::of(mail("zoe")).key("digest").on_repeat(Repeat::Replace);
    assert!(engine.add(now).await.unwrap().replaced);
    let task = until(&engine, first.id, Status::Done).await;
    assert_eq!(task.payload.unwrap().bytes.as_ref(), b"{\"to\":\"zoe\"}");
    let nameless = engine.add(New::of(mail("x")).on_repeat(Repeat::Replace)).await.unwrap_err();
    assert_eq!(nameless.code(), "repeat-without-key");
}

#[tokio::test]
async fn a_refused_task_takes_nobody_with_it() {
    let engine = builder(&store()).start().await.unwrap();
    let taken = || New::kind("k", "").key("taken").on_repeat(Repeat::Refuse);
    engine.add(taken()).await.unwrap();
    let mut adds = JoinSet::new();
    for n in 0..40 {
        let (engine, new) = (engine.clone(), if n % 2 == 0 { taken() } else { New::kind("k", "") });
        adds.spawn(async move { engine.add(new).await.is_ok() });
    }
    assert_eq!(adds.join_all().await.into_iter().filter(|added| *added).count(), 20);
    let many = engine.add_many([New::kind("k", ""), taken()]).await.unwrap_err();
    assert_eq!(many.code(), "key-used");
    assert_eq!(engine.count(Filter::default()).await.unwrap()[0].n, 21);
}
