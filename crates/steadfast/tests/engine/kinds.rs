//! Which handler gets which kind, and where its tasks lie.

use super::common::{Mail, builder, mail, quick, store, until};
use std::time::Duration;
use steadfast::{Handler, New, Run, Status};
use tokio::sync::mpsc;

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

// M-08.
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

// TP-06.
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
