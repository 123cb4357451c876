//! A payout: named, urgent, limited, tried again, and finished when the bank calls back. The README shows a part of it.
//!
//! `cargo run --example payouts`

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;
use steadfast::{BoxError, Fence, Handler, Kinded, New, Outcome, Policy, Retry, Run, When};
use tokio::sync::mpsc::{self, UnboundedSender};

const SOON: Duration = Duration::from_millis(50);
const HOUR: Duration = Duration::from_secs(3600);

#[derive(Serialize, Deserialize)]
struct Payout {
    account: u64,
    cents: u64,
}

impl Kinded for Payout {
    const KIND: &'static str = "payout";
}

/// It does not answer the first time, and calls back with the token that it got.
#[derive(Clone)]
struct Bank {
    is_up: Arc<AtomicBool>,
    calls_back: UnboundedSender<Fence>,
}

impl Bank {
    async fn send(&self, payout: &Payout, token: Fence) -> Result<(), BoxError> {
        tokio::time::sleep(Duration::from_millis(1)).await; // the way there and back
        if !self.is_up.swap(true, SeqCst) {
            println!("the bank does not answer");
            return Err("the bank does not answer".into());
        }
        println!("account {} gets {} cents", payout.account, payout.cents);
        Ok(self.calls_back.send(token)?)
    }
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());
    let (calls_back, mut calls) = mpsc::unbounded_channel();
    let bank = Bank { is_up: Arc::default(), calls_back };
    let payout = Payout { account: 5, cents: 1999 };
    let mut policy = Policy::default();
    policy.retry = Retry::fixed(SOON, 3);

    let payouts = Handler::typed(move |run: Run, payout: Payout| {
        let bank = bank.clone();
        async move {
            bank.send(&payout, run.token()).await?; // an error is a retry by policy, its text is kept
            run.progress("sent").await?;
            // Finished by its token when the bank calls back; a failure if it does not.
            Ok::<_, BoxError>(Outcome::Later { until: When::After(HOUR) })
        }
    });
    let payouts = payouts.limit(15).policy(policy);
    let engine = steadfast::connect(&url).await?.register(payouts).start().await?;
    engine.add(New::of(payout).id("payout-17").priority(0).after(SOON)).await?;

    let token = calls.recv().await.ok_or("the bank calls back")?;
    engine.finish(token, Outcome::Done).await?;
    let task = engine.get(token.task).await?.ok_or("the history has it")?;
    println!("{} after {} failure: {:?}", task.status, task.failures, task.errors.last());
    engine.drain().await.map(drop)?;
    Ok(())
}
