//! What stands around every run: an interceptor that counts, a decorator that marks new tasks, and a trace that goes on.
//!
//! `cargo run --example around`

use std::sync::atomic::{AtomicUsize, Ordering};
use steadfast::{BoxError, Handler, Key, New, Outcome, Rest, Run, TraceContext};

static ENDED_WELL: AtomicUsize = AtomicUsize::new(0);

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());

    let order = Handler::of("order", |run: Run| async move {
        run.add(New::kind("mail.receipt", run.bytes()).key("receipt")).await.map(drop)
    });
    let mail = Handler::of("mail.receipt", |run: Run| async move {
        println!("receipt for {}", run.task().context["shop"]);
    });
    let engine = steadfast::connect(&url)
        .await?
        .around(|run: Run, rest: Rest| async move {
            println!("{} begins", run.task().kind);
            let outcome = rest.run().await;
            if matches!(outcome, Outcome::Done) {
                ENDED_WELL.fetch_add(1, Ordering::Relaxed);
            }
            outcome
        })
        .decorate(|new: New| new.context("shop", "north"))
        .register(order)
        .register(mail)
        .start()
        .await?;
    let request = TraceContext::parse("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    let new = New::kind("order", "17").trace(request.ok_or("a good header")?);
    engine.wait(engine.add(new).await?.id).await?;
    let receipt = engine.look_up(Key::key("receipt")).await?.ok_or("it was added")?;
    let receipt = engine.wait(receipt).await?.ok_or("the history has it")?;
    let trace = TraceContext::of(&receipt.context).ok_or("it is in the trace")?;
    println!("{} runs ended well in trace {}", ENDED_WELL.load(Ordering::Relaxed), trace.trace_id());
    engine.drain().await.map(drop)?;
    Ok(())
}
