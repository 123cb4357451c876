//! The Steadfast store on PostgreSQL, with hints by LISTEN and NOTIFY.
//!
//! Adding, grabbing and finishing are one statement each, whatever the size of the batch. What is rare is read
//! under lock, changed by the core's own rule and written back. The statements stand in `sql/`, one a file, the
//! schema in `migrations/`. Time is the server's, taken inside the statement.
//!
//! ```no_run
//! use steadfast_core::Store;
//! use steadfast_postgres::{Options, PgStore};
//!
//! # async fn open() -> Result<(), steadfast_core::StoreError> {
//! let store = PgStore::open("postgres://app@db.example.org/app?sslmode=verify-full", Options::default()).await?;
//! for finding in store.check().await? {
//!     println!("{}: {}", finding.about, finding.text);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! One thread of the store's own drives the connection of the lease, so that a busy runtime cannot keep it from
//! being renewed; the others are driven by the runtime that the store was opened in. No connection is ever shared before its transaction is
//! over: a call that is dropped half-way closes the one it had.

mod act;
mod add;
mod address;
mod ahead;
mod alike;
mod alone;
mod audience;
mod bare;
mod batch;
mod begun;
mod bell;
mod bucket;
mod check;
mod clean;
mod columns;
mod connection;
mod db;
mod driver;
mod due;
mod effects;
mod fault;
mod find;
mod finish;
mod grab;
mod grab_alike;
mod granted;
mod hints;
mod in_line;
mod key;
mod kind;
mod look;
mod mark;
mod migrate;
mod note;
mod options;
mod place;
mod pool;
mod repeat;
mod row;
mod save;
mod schema;
mod serial;
mod settle;
mod sql;
#[cfg(feature = "sqlx")]
mod sqlx;
mod store;
mod stray;
mod tls;
mod transaction;
mod tx;
mod warm;
mod worker;

pub use begun::Begun;
pub use bell::Bell;
pub use options::Options;
pub use store::PgStore;
pub use tokio_postgres;
