//! The shared suite on MariaDB.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use std::process::ExitCode;

fn main() -> ExitCode {
    common::suite()
}
