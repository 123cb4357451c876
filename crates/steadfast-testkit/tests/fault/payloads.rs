//! Payloads of all sizes, there and back.

use crate::client;
use crate::cluster::{self, Cluster};
use crate::trial::{database, shown, size};
use std::collections::BTreeMap;
use std::sync::Arc;
use steadfast::{Error, Handler, New, Policy, Refusal, Retention, Run, StoreError, TaskId};
use steadfast_testkit::Random;
use tokio::sync::mpsc;

/// Around every bound that a store has: rows, pages, what is read only when a run starts, packets.
const SIZES: [usize; 16] = [
    0, 1, 255, 256, 4_095, 4_096, 8_191, 8_192, 65_534, 65_535, 65_536, 65_537, 131_072, 1_000_000,
    1_048_576, 4_000_000,
];
const LARGE: usize = client::PAYLOAD_BYTES_MAX;
/// What the engine is told to let through.
const ALLOWED: usize = 16 * 1024 * 1024;

#[tokio::test(flavor = "multi_thread")]
async fn payloads_of_all_sizes_come_back_to_the_byte_and_too_large_ones_are_refused() {
    let cluster = Cluster::new();
    let url = cluster::url(&cluster.address(), &database(&cluster).await);
    let (told, mut ran) = mpsc::unbounded_channel();
    let handler = Handler::of("keep", move |run: Run| {
        let _ = told.send((run.task().id, run.bytes().to_vec()));
        async {}
    });
    let mut policy = Policy::default();
    policy.retention = Retention::Delete;
    let builder = steadfast::connect(&url).await.expect("the store opens").register(handler.policy(policy));
    let builder = builder.configure(|config| config.payload_bytes_max = ALLOWED);
    let engine = builder.start().await.expect("the engine starts");
    let (mut random, mut sent, mut n) = (Random::new(17), BTreeMap::<TaskId, Arc<[u8]>>::new(), 0);
    let (times, largest) = (size(1, 5), size(4_000_000, LARGE));
    for bytes in SIZES.into_iter().chain([largest]) {
        for _ in 0..if bytes == LARGE { 1 } else { times } {
            let payload: Arc<[u8]> = noise(&mut random, bytes).into();
            let id = engine.add(New::kind("keep", payload.to_vec())).await.expect("it is added").id;
            sent.insert(id, payload);
            n += 1;
        }
    }
    while !sent.is_empty() {
        let (id, bytes) = ran.recv().await.expect("a run");
        let payload = sent.remove(&id).expect("each runs once");
        assert!(bytes == *payload, "{} bytes came back as {} others", payload.len(), bytes.len());
    }
    let refused = engine.add(New::kind("keep", vec![0; LARGE + 1])).await.expect_err("it is too large");
    let by_name = matches!(&refused, Error::Store(StoreError::Refused(Refusal::Payload { .. })));
    shown(
        "payloads",
        format!(
            "{n} payloads of {} sizes from 0 to {largest} bytes, and one of a byte more than allowed",
            SIZES.len() + 1
        ),
        format!("each came back to the byte, once; {refused}"),
        "to the byte; refused by name",
        by_name,
    );
}

fn noise(random: &mut Random, bytes: usize) -> Vec<u8> {
    let seed = random.below(usize::MAX / 2) | 1;
    (1..=bytes).map(|at| at.wrapping_mul(seed).to_le_bytes()[3]).collect()
}
