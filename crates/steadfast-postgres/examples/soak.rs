//! Shows that dead rows stay flat under a steady load: `scripts/services run cargo run --release -p steadfast-postgres
//! --example soak -- MINUTES RATE`.
//!
//! Adds so many tasks a second for so many minutes, with history, and prints every half minute what the server says
//! about the table of living tasks.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "an example that only shows figures"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};
use steadfast::{Builder, Handler, New, Run};
use steadfast_postgres::tokio_postgres::{Client, NoTls, connect};
use steadfast_postgres::{Options, PgStore};

const SCHEMA: &str = "soak";
const EVERY: Duration = Duration::from_secs(30);
/// Adds in one tick, so that a tick is long enough for a timer.
const TICKS_A_SECOND: u32 = 20;

const STATS: &str = "
    select n_live_tup, n_dead_tup, autovacuum_count, pg_total_relation_size(relid) / 1024,
        (select count(*) from soak.history)
    from pg_stat_user_tables
    where schemaname = 'soak' and relname = 'task'";

#[tokio::main]
async fn main() {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<u32>().expect("a number"));
    let (minutes, rate) = (args.next().unwrap_or(10), args.next().unwrap_or(500));
    let url =
        std::env::var("STEADFAST_POSTGRES").expect("STEADFAST_POSTGRES; run it through scripts/services");
    let (mine, connection) = connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    mine.batch_execute("drop schema if exists soak cascade").await.unwrap();
    let mut options = Options::default();
    options.schema = SCHEMA.into();
    let store = Arc::new(PgStore::open(&url, options).await.unwrap());
    let handler = Handler::of("noop", |_: Run| async {});
    let engine = Builder::on(store.clone(), store).register(handler).start().await.unwrap();

    let (began, mut ticks, mut shown) = (Instant::now(), 0, Duration::ZERO);
    println!("{:>8}  {:>6} {:>6} {:>8} {:>9} {:>9}", "seconds", "live", "dead", "vacuums", "KiB", "history");
    while began.elapsed() < Duration::from_secs(60) * minutes {
        let adds = (0..rate / TICKS_A_SECOND).map(|_| {
            let engine = engine.clone();
            tokio::spawn(async move { engine.add(New::kind("noop", "x")).await })
        });
        for add in adds.collect::<Vec<_>>() {
            add.await.unwrap().unwrap();
        }
        ticks += 1;
        tokio::time::sleep((Duration::from_secs(1) / TICKS_A_SECOND * ticks).saturating_sub(began.elapsed()))
            .await;
        if began.elapsed() >= shown {
            show(&mine, began.elapsed()).await;
            shown += EVERY;
        }
    }
    show(&mine, began.elapsed()).await;
    let _ = engine.drain().await.unwrap();
    mine.batch_execute("drop schema soak cascade").await.unwrap();
}

async fn show(mine: &Client, elapsed: Duration) {
    let row = mine.query_one(STATS, &[]).await.unwrap();
    let n = |at: usize| row.get::<_, i64>(at);
    let (live, dead, vacuums, kib, history) = (n(0), n(1), n(2), n(3), n(4));
    println!("{:>8}  {live:>6} {dead:>6} {vacuums:>8} {kib:>9} {history:>9}", elapsed.as_secs());
}
