//! The shared suite on PostgreSQL.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use std::process::ExitCode;
use steadfast_testkit::suite;

fn main() -> ExitCode {
    suite::main(|| Box::pin(async { common::ground(&common::url(), Some(false)).await }))
}
