//! A build without the feature `compression`: `cargo test -p steadfast --no-default-features --features memory`.
#![cfg(not(feature = "compression"))]
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod setting;

use setting::{builder, error_of, quick, store};
use steadfast::core::Format;
use steadfast::{Compress, Compression, Handler, New, Payload, Run};

const RULE: Compress = Compress::with(Compression::Zstd);

#[tokio::test]
async fn a_packed_payload_is_tried_again_as_the_policy_says_and_kept() {
    let format = Format { json: true, compression: Compression::Zstd, version: 0 };
    let handler = Handler::of("mail", |_: Run| async {}).policy(quick(|_| {}));
    let error = error_of(handler, Payload { bytes: (*b"packed").into(), format }).await;
    let expected = "2: payload of kind `mail` is packed by zstd, which this build does not have; \
                    build with the feature `compression`";
    assert_eq!(error, expected);
}

#[tokio::test]
async fn what_should_be_packed_is_added_plain() {
    let engine = builder(&store()).start().await.unwrap();
    let task = engine.prepare(New::kind("mail", vec![0; 5000]).compression(RULE)).await.unwrap();
    assert_eq!((task.payload.len(), task.payload.format.compression), (5000, Compression::None));
}

#[tokio::test]
async fn a_handler_whose_policy_packs_is_refused_at_the_start() {
    let handler = Handler::of("mail", |_: Run| async {}).policy(quick(|policy| policy.compression = RULE));
    let refused: Result<_, steadfast::Error> = builder(&store()).register(handler).start().await;
    let expected = "kind `mail`: compression is zstd; build with the feature `compression`";
    assert_eq!(refused.unwrap_err().to_string(), expected);
}
