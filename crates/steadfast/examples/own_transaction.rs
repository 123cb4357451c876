//! Adding in a transaction of your own: the order and its task are committed together, or neither is.
//!
//! `cargo run --example own_transaction`

use steadfast::core::{Clock, seam::SystemClock};
use steadfast::sqlite::rusqlite::{Connection, TransactionBehavior};
use steadfast::{BoxError, Handler, New, Run};
use tokio::sync::mpsc;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("shop.db");

    let (ran, mut runs) = mpsc::unbounded_channel();
    let handler = Handler::of("ship", move |run: Run| {
        let ran = ran.clone();
        async move { ran.send(String::from_utf8_lossy(run.bytes()).into_owned()) }
    });
    let url = format!("sqlite:{}", path.display());
    let engine = steadfast::connect(&url).await?.register(handler).start().await?;

    // The shop's own connection, to the same file.
    let mut shop = Connection::open(&path)?;
    shop.execute_batch("create table orders (name text)")?;
    for (name, paid) in [("a book", false), ("a lamp", true)] {
        // Checked and completed by its kind's policy first, so that the transaction is short.
        let task = engine.prepare(New::kind("ship", name)).await?;
        // Immediate: it has the write lock from the start, and cannot fail for it half-way.
        let tx = shop.transaction_with_behavior(TransactionBehavior::Immediate)?;
        tx.execute("insert into orders values (?1)", [name])?;
        steadfast::sqlite::add_in(&tx, vec![task], SystemClock.now())?;
        if paid {
            tx.commit()?;
            println!("{name}: committed");
        } else {
            tx.rollback()?;
            println!("{name}: rolled back");
        }
    }
    println!("shipped: {}", runs.recv().await.unwrap_or_default());
    engine.drain().await.map(drop)?;
    let orders: i64 = shop.query_row("select count(*) from orders", [], |row| row.get(0))?;
    println!("orders: {orders}, more to ship: {}", runs.try_recv().is_ok());
    Ok(())
}
