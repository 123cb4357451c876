//! Interceptors around runs, decorators at the add, and what travels in the context.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod setting;

use setting::{builder, end, quick, slip_in, store};
use std::sync::{Arc, Mutex};
use steadfast::core::{Format, Store};
use steadfast::{
    Builder, Compression, Handler, Kind, New, Outcome, Payload, Rest, Run, Status, TraceContext, When,
};

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// What was said, in order.
#[derive(Clone, Default)]
struct Words(Arc<Mutex<Vec<String>>>);

impl Words {
    fn say(&self, word: impl Into<String>) {
        self.0.lock().unwrap().push(word.into());
    }

    fn all(&self) -> String {
        self.0.lock().unwrap().join(" ")
    }

    /// Says its name before and after the rest of the run.
    fn around(&self, builder: Builder, name: &'static str) -> Builder {
        let words = self.clone();
        builder.around(move |_: Run, rest: Rest| {
            let words = words.clone();
            async move {
                words.say(format!("{name}("));
                let outcome = rest.run().await;
                words.say(format!("){name}"));
                outcome
            }
        })
    }

    /// Says the step; goes on to the second one once.
    fn handler(&self) -> Handler {
        let words = self.clone();
        Handler::of("mail", move |run: Run| {
            let words = words.clone();
            async move {
                words.say(run.task().step.as_deref().unwrap_or("first"));
                if run.task().step.is_none() { Outcome::step("second") } else { Outcome::Done }
            }
        })
    }
}

#[tokio::test]
async fn interceptors_stand_around_each_step_in_the_order_of_registration() {
    let words = Words::default();
    let builder = words.around(words.around(builder(&store()), "a"), "b");
    let engine = builder.register(words.handler()).start().await.unwrap();
    let id = engine.add(New::kind("mail", "")).await.unwrap().id;
    assert_eq!(end(&engine, id).await.status, Status::Done);
    assert_eq!(words.all(), "a( b( first )b )a a( b( second )b )a");
}

#[tokio::test]
async fn an_interceptor_may_answer_itself_and_frees_its_slot() {
    let words = Words::default();
    let builder = builder(&store()).configure(|config| config.slots = 1);
    let builder = words.around(builder, "a").around(|_, _| async { Outcome::Fail("not today".into()) });
    let engine = words.around(builder, "never").register(words.handler()).start().await.unwrap();
    for _ in 0..3 {
        let id = engine.add(New::kind("mail", "")).await.unwrap().id;
        let task = end(&engine, id).await;
        assert_eq!((task.status, task.errors.last()), (Status::Error, Some("not today")));
    }
    assert_eq!(words.all(), "a( )a a( )a a( )a");
}

#[tokio::test]
async fn a_panic_in_an_interceptor_is_a_failure_and_frees_its_slot() {
    let words = Words::default();
    let handler = Handler::of("mail", |_: Run| async {}).policy(quick(|_| {}));
    let builder = words.around(builder(&store()).configure(|config| config.slots = 1), "a");
    // One panics before it says anything, the other after the handler.
    let builder = builder.around(|run: Run, rest: Rest| {
        assert!(run.task().attempt > 1, "before");
        async move {
            let _ = rest.run().await;
            panic!("after")
        }
    });
    let engine = builder.register(handler).start().await.unwrap();
    for _ in 0..3 {
        let id = engine.add(New::kind("mail", "")).await.unwrap().id;
        let task = end(&engine, id).await;
        let texts: Vec<&str> = task.errors.all().iter().map(|failure| failure.text.as_str()).collect();
        assert_eq!((task.status, texts), (Status::Error, vec!["panic: before", "panic: after"]));
    }
    assert_eq!(words.all(), "a( a( a( a( a( a(");
}

#[tokio::test]
async fn interceptors_hear_of_runs_whose_payload_cannot_be_read() {
    let (store, words) = (store(), Words::default());
    let format = Format { json: true, compression: Compression::Unknown(5), version: 0 };
    let id = slip_in(&store, "mail", Payload { bytes: (*b"?").into(), format }).await;
    let handler = words.handler().policy(quick(|_| {}));
    let builder = words.around(builder(&store), "a").around(|_, rest: Rest| async move {
        match rest.run().await {
            Outcome::Retry { why, .. } => Outcome::Fail(format!("heard: {why}")),
            other => other,
        }
    });
    let engine = builder.register(handler).start().await.unwrap();
    let task = end(&engine, id).await;
    assert!(task.errors.last().unwrap().starts_with("heard: payload of kind `mail` is packed by"));
    assert_eq!((task.attempt, words.all().as_str()), (1, "a( )a"));
}

// IN-01.
#[tokio::test]
async fn decorators_see_every_new_task_in_order_before_it_is_checked() {
    let store = store();
    let handler =
        Handler::of(
            "mail",
            |run: Run| async move { run.add(New::kind("part", "").id("child")).await.map(drop) },
        );
    let engine = builder(&store)
        .decorate(|new: New| {
            let trail = new.context_of("trail").unwrap_or_default().to_owned();
            new.context("trail", trail + "a")
        })
        .decorate(|new: New| {
            let trail = new.context_of("trail").unwrap_or_default().to_owned() + "b";
            let kind = new.kind_name().unwrap_or("?").to_owned();
            new.context("trail", trail).context("kind", kind)
        })
        // What a decorator breaks is refused like everything else.
        .decorate(|new: New| if new.context_of("kind") == Some("bad") { new.priority(99) } else { new })
        .register(handler)
        .start()
        .await
        .unwrap();
    let one = engine.add(New::kind("mail", "").context("trail", "-")).await.unwrap().id;
    let many = engine.add_many([New::kind("part", "")]).await.unwrap()[0].id;
    let prepared = engine.prepare(New::kind("part", "")).await.unwrap();
    let one = end(&engine, one).await;
    let child = engine.look_up(steadfast::Key::id("child")).await.unwrap().unwrap();
    let trail = async |id| engine.get(id).await.unwrap().unwrap().context["trail"].clone();
    assert_eq!(one.context["trail"], "-ab");
    assert_eq!(trail(child).await, "-abab");
    assert_eq!(trail(many).await, "ab");
    assert_eq!((prepared.context["trail"].as_str(), prepared.context["kind"].as_str()), ("ab", "part"));
    assert_eq!(engine.add(New::kind("bad", "")).await.unwrap_err().code(), "priority-out-of-range");
}

#[tokio::test]
async fn the_context_stays_when_a_task_goes_on_as_another_kind() {
    let store = store();
    let first = Handler::of("first", |_: Run| async {
        let kind = Some(Kind::new("second").unwrap());
        Outcome::Next { step: None, kind, payload: None, when: When::Now }
    });
    let second = Handler::of("second", |run: Run| async move {
        run.output(format!("{} {}", run.task().context["tenant"], run.trace().unwrap().trace_id()));
    });
    let engine = builder(&store).register(first).register(second).start().await.unwrap();
    let new = New::kind("first", "").context("tenant", "t1").context("traceparent", PARENT);
    let id = engine.add(new).await.unwrap().id;
    let task = end(&engine, id).await;
    assert_eq!(task.output.as_deref(), Some("t1 0af7651916cd43dd8448eb211c80319c"));
    assert_eq!(task.kind.as_str(), "second");
}

#[tokio::test]
async fn tasks_of_a_run_have_the_run_as_their_parent_in_the_trace() {
    let store = store();
    let handler = Handler::of("mail", |run: Run| async move {
        run.output(run.trace().map(|trace| trace.to_string()).unwrap_or_default());
        run.add(New::kind("part", "").id("child")).await.unwrap();
        let own = TraceContext::new(7, 8, false).unwrap();
        run.add(New::kind("part", "").id("stranger").trace(own)).await.unwrap();
    });
    let engine = builder(&store).register(handler).start().await.unwrap();
    let new = New::kind("mail", "").context("traceparent", PARENT).context("tracestate", "a=1");
    let id = engine.add(new).await.unwrap().id;
    let task = end(&engine, id).await;
    let context = async |name: &str| {
        let id = engine.look_up(steadfast::Key::id(name)).await.unwrap().unwrap();
        store.get(id).await.unwrap().unwrap().context
    };
    let run = TraceContext::parse(task.output.as_deref().unwrap()).unwrap();
    assert_eq!((run.trace_id().as_str(), run.is_sampled()), ("0af7651916cd43dd8448eb211c80319c", true));
    assert_ne!(run.span_id(), "b7ad6b7169203331");
    let child = context("child").await;
    assert_eq!((TraceContext::of(&child), child["tracestate"].as_str()), (Some(run), "a=1"));
    let stranger = context("stranger").await;
    assert_eq!(TraceContext::of(&stranger), TraceContext::new(7, 8, false));
    assert!(!stranger.contains_key("tracestate"));
}

#[tokio::test]
async fn a_task_without_a_trace_takes_the_place_of_the_code_that_adds_it() {
    let engine = builder(&store()).trace(|| TraceContext::parse(PARENT)).start().await.unwrap();
    let place = async |new: New| engine.prepare(new).await.unwrap().context["traceparent"].clone();
    assert_eq!(place(New::kind("mail", "")).await, PARENT);
    let own = TraceContext::new(7, 8, false).unwrap();
    assert_eq!(place(New::kind("mail", "").trace(own)).await, own.to_string());
    let silent = builder(&store()).trace(|| None).start().await.unwrap();
    assert!(silent.prepare(New::kind("mail", "")).await.unwrap().context.is_empty());
}
