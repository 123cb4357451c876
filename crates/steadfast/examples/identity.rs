//! An identity document is verified by somebody else, who may take a day and calls back. The flow is a state machine;
//! each transition is saved. A call that is lost costs time only, since we ask after a while; a call that comes while
//! another instance is asking takes the task over.
//!
//! `cargo run --example identity`

use serde::{Deserialize, Serialize};
use std::time::Duration;
use steadfast::{
    BoxError, Engine, Fence, Guard, Kinded, LeadsTo, Machine, Policy, Retry, Rewrite, Run, Step, TaskId, Turn,
};
use tokio::sync::mpsc::{self, UnboundedSender};

/// How long we wait for the call before we ask: here a moment, elsewhere half a day.
const CALL_MAX: Duration = Duration::from_millis(200);

#[derive(Serialize, Deserialize)]
struct Submitted {
    holder: String,
}

#[derive(Serialize, Deserialize)]
struct Awaiting {
    holder: String,
    tracking: u64,
}

#[derive(Serialize, Deserialize)]
struct Processed {
    holder: String,
    read: String,
}

#[derive(Serialize, Deserialize)]
struct FaceMatch {
    holder: String,
}

impl Kinded for Submitted {
    const KIND: &'static str = "identity.document";
}
impl Step for Submitted {
    const STEP: &'static str = "submitted";
}
impl Step for Awaiting {
    const STEP: &'static str = "awaiting processing";
}
impl Step for Processed {
    const STEP: &'static str = "processed";
}
impl Step for FaceMatch {
    const STEP: &'static str = "face match";
}

// Every way that the flow may go. Anything else does not compile.
impl LeadsTo<Awaiting> for Submitted {}
impl LeadsTo<Processed> for Awaiting {}
impl LeadsTo<FaceMatch> for Processed {}

/// Who verifies documents. It has our token and the task's id, to call us by.
#[derive(Clone)]
struct Verifier {
    told: UnboundedSender<(TaskId, Fence)>,
}

impl Verifier {
    /// Bob's document is done; Eve's takes for ever.
    async fn ask(&self, run: &Run, waiting: &Awaiting) -> Result<String, BoxError> {
        self.told.send((run.task().id, run.token()))?;
        if waiting.holder == "Eve" {
            std::future::pending::<()>().await;
        }
        Ok(waiting.holder.to_uppercase())
    }
}

async fn submit(_: Run, new: Submitted) -> Result<Turn<Submitted>, BoxError> {
    println!("{}: submitted", new.holder);
    Ok(Turn::to(Awaiting { tracking: 17, holder: new.holder }))
}

async fn wait(run: Run, waiting: Awaiting, verifier: Verifier) -> Result<Turn<Awaiting>, BoxError> {
    if run.task().failures == 0 {
        verifier.told.send((run.task().id, run.token()))?;
        return Ok(Turn::later(CALL_MAX));
    }
    println!("{}: no call, so we ask for {}", waiting.holder, waiting.tracking);
    let read = verifier.ask(&run, &waiting).await?;
    Ok(Turn::to(Processed { read, holder: waiting.holder }))
}

async fn process(_: Run, document: Processed) -> Result<Turn<Processed>, BoxError> {
    println!("{}: the document says {}", document.holder, document.read);
    if document.read != document.holder.to_uppercase() {
        return Ok(Turn::fail("somebody else's document"));
    }
    Ok(Turn::to(FaceMatch { holder: document.holder }))
}

async fn compare(run: Run, face: FaceMatch) -> Result<Turn<FaceMatch>, BoxError> {
    run.output(format!("{} is who they say", face.holder));
    Ok(Turn::done())
}

async fn instance(url: &str, verifier: &Verifier) -> steadfast::Result<Engine> {
    let verifier = verifier.clone();
    let machine = Machine::starts(submit)
        .step(move |run, waiting| wait(run, waiting, verifier.clone()))
        .step(process)
        .step(compare);
    let mut policy = Policy::default();
    policy.retry = Retry::immediate(5);
    let builder = steadfast::connect(url).await?.register(machine.handler()?.policy(policy));
    let quick = |config: &mut steadfast::Config| {
        config.lease = Duration::from_millis(600);
        config.sweep = Duration::from_millis(20);
    };
    builder.configure(quick).start().await
}

async fn end(engine: &Engine, id: TaskId) -> Result<(), BoxError> {
    let task = engine.wait(id).await?.ok_or("the history has it")?;
    println!(
        "{} at step `{}`: {}",
        task.status,
        task.step.unwrap_or_default(),
        task.output.unwrap_or_default()
    );
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());
    let (told, mut calls) = mpsc::unbounded_channel();
    let verifier = Verifier { told };
    let first = instance(&url, &verifier).await?;

    // The call comes: with the token the task goes on, from whatever process it is shown to.
    let ada = first.add(Submitted { holder: "Ada".into() }).await?.id;
    let (_, token) = calls.recv().await.ok_or("the first instance asks")?;
    first.finish(token, Turn::<Awaiting>::to(Processed { holder: "Ada".into(), read: "ADA".into() })).await?;
    end(&first, ada).await?;

    // The call is lost: the park ends by itself, and the slow way finds the result.
    let bob = first.add(Submitted { holder: "Bob".into() }).await?.id;
    end(&first, bob).await?;
    for _ in 0..2 {
        calls.recv().await;
    }

    // The call comes to the second instance while the first one is asking: it takes the task over.
    let eve = first.add(Submitted { holder: "Eve".into() }).await?.id;
    calls.recv().await;
    let (_, asking) = calls.recv().await.ok_or("the first instance asks again")?;
    let second = instance(&url, &verifier).await?;
    let answer = Processed { holder: "Eve".into(), read: "EVE".into() };
    second.eject(eve, Guard::Grant(asking.grant), Rewrite::to(answer)).await?;
    println!("Eve: taken over by the second instance");
    end(&second, eve).await?;
    println!("left behind by the first: {}", first.drain().await?.left_behind);
    second.drain().await.map(drop)?;
    Ok(())
}
