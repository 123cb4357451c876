//! An engine on the memory store that runs a load on one thread and leaves: `loaded-engine LOAD N`. For tools that count
//! what a whole process does.
// This is test code: a load that cannot run says so by a panic.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::sync::Arc;
use steadfast_core::seam::SystemClock;
use steadfast_memory::MemoryStore;
use steadfast_testkit::cost::Load;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [load, n] = args.as_slice() else { panic!("usage: loaded-engine LOAD N") };
    let (load, n): (Load, usize) = (load.parse().expect("a load"), n.parse().expect("a number"));
    load.run(&Arc::new(MemoryStore::new(Arc::new(SystemClock))), n, async || ()).await;
}
