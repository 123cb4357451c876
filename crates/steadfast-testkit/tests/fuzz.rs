//! Damaged inputs for all that the core and the engine read from outside. What a store or the command line reads is tried
//! beside it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::fmt::{Debug, Display};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use steadfast::{Builder, Compress, Compression, Deed, Engine, Guard, New, Payload};
use steadfast_core::seam::SystemClock;
use steadfast_core::{
    Act, Bucket, Cursor, Errors, Fence, Format, Kind, Offer, Policy, Status, Store, TaskId, TraceContext,
};
use steadfast_memory::MemoryStore;
use steadfast_testkit::fuzz::fuzz;

const ID: &str = "01932b5c-7d1a-7abc-8def-0123456789ab";

/// What was read is written as it reads.
fn round<T>(what: &'static str, good: &[&str])
where
    T: FromStr<Err: Display> + Display + PartialEq + Debug,
{
    fuzz(what, good, |input| match String::from_utf8_lossy(input).parse::<T>() {
        Ok(read) => {
            assert_eq!(read.to_string().parse::<T>().ok(), Some(read));
            "read".into()
        }
        Err(refused) => refused.to_string(),
    });
}

#[test]
fn damaged_ids_cursors_tokens_and_statuses() {
    round::<TaskId>("ids of tasks", &[ID]);
    round::<Cursor>("cursors", &["a01932b5c7d1a7abc8def0123456789ab"]);
    round::<Fence>("tokens", &[&format!("{ID}.7.{ID}")]);
    round::<Status>("statuses", &["ready", "running", "cancelled"]);
}

#[test]
fn damaged_names_and_places_in_a_trace() {
    fuzz("kinds and buckets", &["pay|PARTNER", "mail.welcome", "größe"], |input| {
        let text = String::from_utf8_lossy(input);
        let kind = Kind::new(&*text).map_or_else(|refusal| refusal.to_string(), |_| "kind".into());
        kind + &Bucket::new(&*text).map_or_else(|refusal| refusal.to_string(), |_| "bucket".into())
    });
    let place = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    fuzz("places in a trace", &[place], |input| {
        let Some(read) = TraceContext::parse(&String::from_utf8_lossy(input)) else { return "no".into() };
        assert_eq!(TraceContext::parse(&read.to_string()), Some(read));
        "place".into()
    });
}

#[test]
fn damaged_columns_that_others_wrote() {
    let policy = serde_json::to_string(&Policy::default()).unwrap();
    let offer = serde_json::to_string(&Offer::default()).unwrap();
    let errors = Errors::default().with(3, "boom").to_json().unwrap();
    fuzz("policies, offers and errors in columns", &[policy, offer, errors], |input| {
        let text = String::from_utf8_lossy(input);
        let policy =
            serde_json::from_str::<Policy>(&text).map_or_else(|error| error.to_string(), |_| "a".into());
        let offer =
            serde_json::from_str::<Offer>(&text).map_or_else(|error| error.to_string(), |_| "b".into());
        format!("{policy}{offer}{}", Errors::from_json(&text).to_json().is_some())
    });
}

#[test]
fn damaged_headers_of_payloads_and_packed_bytes() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let engine = runtime.block_on(engine());
    let good: Vec<Vec<u8>> = [Compression::Gzip, Compression::Lz4, Compression::Zstd]
        .map(|algorithm| runtime.block_on(packed(&engine, algorithm)))
        .into();
    let id = runtime.block_on(engine.add(later())).unwrap().id;
    fuzz("packed payloads with their header", &good, |input| runtime.block_on(opened(&engine, id, input)));
}

async fn engine() -> Engine {
    let store = Arc::new(MemoryStore::new(Arc::new(SystemClock)));
    Builder::on(store.clone(), store).start().await.unwrap()
}

fn later() -> New {
    New::kind("packed", "what is said often packs well, ".repeat(99)).after(Duration::from_secs(3600))
}

/// A header of eight bytes and the bytes that a store keeps of a text.
async fn packed(engine: &Engine, algorithm: Compression) -> Vec<u8> {
    let added = engine.add(later().compression(Compress::with(algorithm))).await.unwrap();
    let stored = engine.store::<MemoryStore>().unwrap().payload(added.id).await.unwrap().unwrap();
    assert_eq!(stored.format.compression, algorithm);
    [&stored.format.code().to_be_bytes()[..], &stored.bytes[..]].concat()
}

/// What becomes of bytes that somebody else wrote: the task is found with its payload opened, or packed as it was.
async fn opened(engine: &Engine, id: TaskId, input: &[u8]) -> String {
    let Some((code, bytes)) = input.split_first_chunk() else { return "short".into() };
    let Some(format) = Format::from_code(i64::from_be_bytes(*code)) else { return "no format".into() };
    let guard = Guard::Version(engine.get(id).await.unwrap().unwrap().version);
    let deed = Deed::Rewrite { step: None, payload: Some(Payload { bytes: bytes.into(), format }) };
    let acts = vec![Act { id, guard, deed }];
    engine.store::<MemoryStore>().unwrap().act(acts).await.unwrap().pop().unwrap().unwrap();
    let found = engine.get(id).await.unwrap().unwrap().payload.unwrap();
    format!("{} as {}", format.compression, found.format.compression)
}
