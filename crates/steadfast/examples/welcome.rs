use serde::{Deserialize, Serialize};
use steadfast::{Kinded, Run};

#[derive(Serialize, Deserialize)]
struct Welcome { to: String }
impl Kinded for Welcome { const KIND: &'static str = "mail.welcome"; }

#[tokio::main]
async fn main() -> steadfast::Result<()> {
    let engine = steadfast::connect("sqlite:tasks.db").await?
        .handle(|_: Run, mail: Welcome| async move { println!("welcome, {}", mail.to) })
        .start().await?;
    engine.add(Welcome { to: "Ada".into() }).await?;
    tokio::signal::ctrl_c().await.ok();
    engine.drain().await.map(drop)
}
