//! The scenarios on the memory store.

use std::process::ExitCode;
use std::sync::Arc;
use steadfast_core::seam::SystemClock;
use steadfast_memory::MemoryStore;
use steadfast_testkit::Counter;
use steadfast_testkit::scenarios::{self, Home};

fn main() -> ExitCode {
    scenarios::main(|| {
        Box::pin(async {
            let store = Arc::new(MemoryStore::new(Arc::new(SystemClock)));
            let open =
                move || -> steadfast_core::seam::Future<_> { Box::pin(std::future::ready(store.clone())) };
            Home::new(open, Arc::new(Counter::default()))
        })
    })
}
