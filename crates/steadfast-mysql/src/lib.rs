//! The Steadfast store on MariaDB and MySQL.
//!
//! A call is a short transaction: rows are locked in order of their ids, changed by the core's own rule, and written
//! back, many at once. The statements stand in `sql/`, one a file, the schema in `migrations/`. They keep to what
//! MariaDB 10.6 and MySQL 8.0 have in common; they are tested on MariaDB 10.11. Time is the server's.
//!
//! ```no_run
//! use steadfast_core::Store;
//! use steadfast_mysql::{MySqlStore, Options};
//!
//! # async fn open() -> Result<(), steadfast_core::StoreError> {
//! let store = MySqlStore::open("mysql://app@db.example.org/app?require_ssl=true", Options::default()).await?;
//! for finding in store.check().await? {
//!     println!("{}: {}", finding.about, finding.text);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! One thread of the store's own watches over all its connections, so that a busy runtime cannot keep a lease from being
//! renewed; leases have a connection of their own. No connection is ever shared before its transaction is over: a call
//! that is dropped half-way closes the one it had.

mod act;
mod add;
mod address;
mod begun;
mod bell;
mod bucket;
mod cells;
mod check;
mod clean;
mod columns;
mod connection;
mod db;
mod driver;
mod due;
mod effects;
mod ending;
mod fault;
mod find;
mod finish;
mod grab;
mod key;
mod kind;
mod look;
mod migrate;
mod note;
mod options;
mod pool;
mod prefix;
mod quiet;
mod repeat;
mod row;
mod save;
mod search;
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
mod watch;
mod wire;
mod worker;

pub use begun::Begun;
pub use bell::Bell;
pub use mysql_async;
pub use options::Options;
pub use store::MySqlStore;
