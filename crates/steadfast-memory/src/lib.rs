//! The Steadfast store in plain Rust: the specification of all stores, and what tests run on.
