//! The second floor: plain statements on the store's own tables, without the store and without the engine.
//!
//! They do to a row what the store does, a batch in one statement. What lies between this and the lean floor is the
//! price of the record; what lies between the engine and this is the price of the engine.

use crate::Result;
use crate::engine::KIND;
use crate::floor::{CLAIM_BATCH, INSERT_BATCH};
use crate::place::Scratch;
use crate::recorder::Recorder;
use rusqlite::{Connection, TransactionBehavior, params};
use std::ops::Range;
use std::path::Path;
use steadfast_sqlite::{Options, SqliteStore};

/// As the store's writer sets up its connection.
const SETUP: &str = include_str!("../../crates/steadfast-sqlite/sql/setup/writer.sql");

/// Ready tasks with nothing but a payload, one for each number of a JSON array.
const ADD: &str = r#"
    insert or fail into steadfast_task (
        id, bucket, kind, priority, format, payload, status, "grant", version, attempt,
        due_at, ready_at, base_at, created_at, changed_at, failures, lost
    )
    select unhex('0190000000007000' || printf('%016x', value)), 'default', ?2, 5, 0, cast(value as blob), 4, 0, 0, 0,
        ?3, ?3, ?3, ?3, ?3, 0, 0
    from json_each(?1)"#;

const READ: &str = "
    select payload
    from steadfast_task
    where status = 4 and lost < 2 and bucket = 'default' and kind = ?1 and priority = 5
    order by ready_at, seq
    limit ?2";

const TAKE: &str = r#"
    update or fail steadfast_task
    set status = 5, "grant" = "grant" + 1, worker = ?3, attempt = attempt + 1, deadline_at = ?4,
        version = version + 1, changed_at = ?4
    where seq in (
        select seq
        from steadfast_task
        where status = 4 and lost < 2 and bucket = 'default' and kind = ?1 and priority = 5
        order by ready_at, seq
        limit ?2
    )"#;

/// The fence of a whole batch: this worker has no other runs.
const DELETE: &str = r#"delete from steadfast_task where status = 5 and worker = ?1 and "grant" = 1"#;

const WORKER: [u8; 16] = [7; 16];
const NOW: i64 = 1_700_000_000_000_000;

/// What becomes of a row at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Delete,
    History,
}

/// The store's tables, through one plain connection.
pub(crate) struct Raw {
    db: Connection,
    move_sql: String,
}

impl Raw {
    /// Tables that are made now.
    pub(crate) fn create(scratch: &Scratch, name: &str) -> Result<Self> {
        let path = scratch.database(name);
        drop(SqliteStore::open(&path, Options::default())?);
        Self::open(&path)
    }

    /// Tables that are there, whoever filled them.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let db = Connection::open(path)?;
        db.execute_batch(SETUP)?;
        db.set_prepared_statement_cache_capacity(32);
        let move_sql = move_sql(&db)?;
        Ok(Self { db, move_sql })
    }

    /// One insert in a commit of its own.
    pub(crate) fn insert(&self, number: u32) -> Result<()> {
        self.db.prepare_cached(ADD)?.execute(params![format!("[{number}]"), KIND, NOW])?;
        Ok(())
    }

    /// Inserts in transactions of [`INSERT_BATCH`].
    pub(crate) fn insert_all(&mut self, numbers: Range<u32>) -> Result<()> {
        for first in numbers.clone().step_by(INSERT_BATCH as usize) {
            let some: Vec<u32> = (first..numbers.end.min(first + INSERT_BATCH)).collect();
            self.db.prepare_cached(ADD)?.execute(params![serde_json::to_string(&some)?, KIND, NOW])?;
        }
        Ok(())
    }

    /// Grabs and ends until nothing is left, [`CLAIM_BATCH`] at a time.
    pub(crate) fn drain(&mut self, recorder: &Recorder, end: End) -> Result<()> {
        while self.grab(recorder)? > 0 {
            let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if end == End::History {
                tx.prepare_cached(&self.move_sql)?.execute(params![WORKER, NOW])?;
            }
            tx.prepare_cached(DELETE)?.execute([WORKER])?;
            tx.commit()?;
        }
        Ok(())
    }

    fn grab(&mut self, recorder: &Recorder) -> Result<u32> {
        let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut n = 0;
        {
            let mut read = tx.prepare_cached(READ)?;
            let mut rows = read.query(params![KIND, CLAIM_BATCH])?;
            while let Some(row) = rows.next()? {
                recorder.hit(serde_json::from_slice(row.get_ref(0)?.as_blob()?)?);
                n += 1;
            }
        }
        tx.prepare_cached(TAKE)?.execute(params![KIND, CLAIM_BATCH, WORKER, NOW])?;
        tx.commit()?;
        Ok(n)
    }
}

/// Copies a batch to the history. The columns are asked for: they are the store's to change.
fn move_sql(db: &Connection) -> Result<String> {
    let mut query = db.prepare("select name from pragma_table_info('steadfast_history')")?;
    let columns = query.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    let value = |column: &String| match column.as_str() {
        "status" => "7".to_owned(),
        "due_at" | "changed_at" => "?2".to_owned(),
        _ => format!("\"{column}\""),
    };
    let names: Vec<String> = columns.iter().map(|column| format!("\"{column}\"")).collect();
    let values: Vec<String> = columns.iter().map(value).collect();
    Ok(format!(
        "insert or fail into steadfast_history ({}) select {} from steadfast_task \
         where status = 5 and worker = ?1 and \"grant\" = 1",
        names.join(", "),
        values.join(", "),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(end: End, history: u32) {
        let scratch = Scratch::new(&format!("test-raw-{end:?}")).unwrap();
        let mut raw = Raw::create(&scratch, "raw").unwrap();
        raw.insert_all(0..3200).unwrap();
        raw.insert(3200).unwrap();
        let recorder = Recorder::new(3201);
        raw.drain(&recorder, end).unwrap();
        assert!(recorder.once());
        let count = |table: &str| -> u32 {
            raw.db.query_row(&format!("select count(*) from {table}"), [], |row| row.get(0)).unwrap()
        };
        assert_eq!((count("steadfast_task"), count("steadfast_history")), (0, history));
    }

    #[test]
    fn plain_statements_run_everything_once() {
        check(End::Delete, 0);
        check(End::History, 3201);
    }
}
