//! Everything that a user can ask an engine for.

use super::inside;
use super::scene::{Call, new, numbered};
use std::time::Duration;
use steadfast::{Act, Bucket, Deed, Filter, Guard, Handler, Key, Outcome, Priority, Rewrite, Run};

/// How long ago what is cleaned away must have ended: nothing has.
const LONG_AGO: Duration = Duration::from_secs(24 * 3600);

/// Those that end the parked task.
pub(crate) const ENDS: [&str; 2] = ["finish", "eject"];

pub(crate) fn all() -> Vec<Call> {
    [adds(), questions(), acts(), lives()].into_iter().flatten().collect()
}

fn adds() -> Vec<Call> {
    vec![
        Call::new("add", |on| async move { Ok(on.engine.add(new()).await.map(drop)?) }),
        Call::new("add with a key", |on| async move {
            let key = on.far.id.to_string();
            Ok(on.engine.add(new().key(key)).await.map(drop)?)
        }),
        Call::new("add of a serial key", |on| async move {
            Ok(on.engine.add(new().serial("one")).await.map(drop)?)
        }),
        Call::new("add_many", |on| async move {
            Ok(on.engine.add_many([new(), new().serial("two"), new()]).await.map(drop)?)
        }),
        Call::new("prepare", |on| async move { Ok(on.engine.prepare(new()).await.map(drop)?) }),
    ]
}

fn questions() -> Vec<Call> {
    vec![
        Call::new("get", |on| async move { Ok(on.engine.get(on.far.id).await.map(drop)?) }),
        Call::new("wait", |on| async move {
            let quick = on.engine.add(new()).await?.id;
            Ok(on.engine.wait(quick).await.map(drop)?)
        }),
        Call::new("look_up", |on| async move {
            let key = Key::key(on.far.id.to_string());
            Ok(on.engine.look_up(key).await.map(drop)?)
        }),
        Call::new(
            "find",
            |on| async move { Ok(on.engine.find(Filter::default(), None, 10).await.map(drop)?) },
        ),
        Call::new(
            "find_all",
            |on| async move { Ok(on.engine.find_all(Filter::default(), 10).await.map(drop)?) },
        ),
        Call::new("count", |on| async move { Ok(on.engine.count(Filter::default()).await.map(drop)?) }),
        Call::new("workers", |on| async move { Ok(on.engine.workers().await.map(drop)?) }),
        Call::new("now", |on| async move { Ok(on.engine.now().await.map(drop)?) }),
        Call::new("kinds", |on| async move { Ok(on.engine.kinds().await.map(drop)?) }),
        Call::new("paused_buckets", |on| async move { Ok(on.engine.paused_buckets().await.map(drop)?) }),
        Call::new("check", |on| async move { Ok(on.engine.check().await.map(drop)?) }),
        Call::new("why", |on| async move { Ok(on.engine.why(on.far.id).await.map(drop)?) }),
    ]
}

fn acts() -> Vec<Call> {
    vec![
        Call::new("act", |on| async move {
            let deed = Deed::Prioritise(Priority::new(2)?);
            Ok(on.engine.act(on.far.id, Guard::Version(on.far.version), deed).await.map(drop)?)
        }),
        Call::new("act_all", |on| async move {
            let deed = Deed::Prioritise(Priority::new(3)?);
            let act = Act { id: on.far.id, guard: Guard::Version(on.far.version), deed };
            Ok(on.engine.act_all(vec![act]).await.map(drop)?)
        }),
        Call::new("finish", |on| async move { Ok(on.engine.finish(on.parked, Outcome::Done).await?) }),
        Call::new("eject", |on| async move {
            let rewrite = Rewrite::step("over");
            Ok(on.engine.eject(on.parked.task, Guard::Grant(on.parked.grant), rewrite).await.map(drop)?)
        }),
        Call::new("pause_bucket", |on| async move {
            Ok(on.engine.pause_bucket(Bucket::new("elsewhere")?).await?)
        }),
        Call::new("release_bucket", |on| async move {
            Ok(on.engine.release_bucket(Bucket::new("elsewhere")?).await?)
        }),
        Call::new("clean", |on| async move { Ok(on.engine.clean(LONG_AGO, 10).await.map(drop)?) }),
    ]
}

/// What the second engine handles.
pub(crate) fn other() -> Handler {
    Handler::of("other", |_: Run| async {}).policy(inside::policy())
}

/// The life of a second engine, which takes nothing else that is added here.
fn lives() -> Vec<Call> {
    vec![
        Call::new("connect", |on| async move { Ok(steadfast::connect(&on.url).await.map(drop)?) }),
        Call::new("start and drain", |on| async move {
            let builder = steadfast::connect(&on.url).await?.register(other());
            let engine =
                builder.configure(|config| config.lease = Duration::from_millis(900)).start().await?;
            engine.add(numbered("other")).await?;
            Ok(engine.drain().await.map(drop)?)
        }),
    ]
}
