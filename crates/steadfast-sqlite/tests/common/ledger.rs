//! A table beside the tasks.

use std::path::PathBuf;
use steadfast_core::Outcome;
use steadfast_core::seam::Future;
use steadfast_sqlite::{effects, rusqlite};
use steadfast_testkit::Ledger;

/// A table in the same file, made when it is first written to.
pub(crate) struct Table {
    pub(crate) path: PathBuf,
}

impl Ledger for Table {
    fn effects(&self, says: Result<Outcome, String>) -> Future<Outcome> {
        let effects = effects(move |db| {
            db.execute_batch("create table if not exists ledger (n integer); insert into ledger values (1)")?;
            Ok(says?)
        });
        Box::pin(std::future::ready(effects))
    }

    fn rows(&self) -> Future<usize> {
        let db = rusqlite::Connection::open(&self.path).expect("the file");
        let made = db.table_exists(None, "ledger").expect("an answer");
        let count = "select count(*) from ledger";
        let rows: i64 = if made { db.query_row(count, [], |row| row.get(0)).expect("a count") } else { 0 };
        Box::pin(std::future::ready(usize::try_from(rows).expect("a number")))
    }
}
