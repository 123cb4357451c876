//! The fifteen lines of the README.
use serde::{Deserialize, Serialize};
use steadfast::{Kinded, Run};

#[derive(Serialize, Deserialize)]
struct Welcome(String);

impl Kinded for Welcome {
    const KIND: &'static str = "mail.welcome";
}

#[tokio::main]
async fn main() -> steadfast::Result<()> {
    let hello = |_: Run, mail: Welcome| async move { println!("welcome, {}", mail.0) };
    let engine = steadfast::connect("sqlite:tasks.db").await?.handle(hello).start().await?;
    engine.add(Welcome("Ada".into())).await?;
    tokio::signal::ctrl_c().await.ok();
    engine.drain().await.map(drop)
}
