//! The shared suite on PostgreSQL behind a pooler in transaction mode. Where there is none, it shows at least that
//! nothing relies on a session.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use std::process::ExitCode;

fn main() -> ExitCode {
    common::suite(std::env::var("STEADFAST_PGBOUNCER").unwrap_or_else(|_| common::url()), true)
}
