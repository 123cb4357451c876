//! Plain statements on the tables of the SQLite store.

use super::{NOW, Raw, moved};
use crate::Result;
use crate::engine::KIND;
use crate::floor::{CLAIM_BATCH, INSERT_BATCH};
use crate::recorder::Recorder;
use rusqlite::{Connection, TransactionBehavior, params};
use std::ops::Range;
use std::path::Path;
use steadfast::Retention;

/// As the store's writer sets up its connection.
const SETUP: &str = include_str!("../../../crates/steadfast-sqlite/sql/setup/writer.sql");

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

/// The tables of a store in a file.
pub(crate) struct SqliteRaw {
    db: Connection,
    move_sql: String,
}

impl SqliteRaw {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let db = Connection::open(path)?;
        db.execute_batch(SETUP)?;
        db.set_prepared_statement_cache_capacity(32);
        let move_sql = move_sql(&db)?;
        Ok(Self { db, move_sql })
    }
}

impl Raw for SqliteRaw {
    fn insert(&mut self, number: u32) -> Result<()> {
        self.db.prepare_cached(ADD)?.execute(params![format!("[{number}]"), KIND, NOW])?;
        Ok(())
    }

    fn insert_all(&mut self, numbers: Range<u32>) -> Result<()> {
        for first in numbers.clone().step_by(INSERT_BATCH as usize) {
            let some: Vec<u32> = (first..numbers.end.min(first + INSERT_BATCH)).collect();
            self.db.prepare_cached(ADD)?.execute(params![serde_json::to_string(&some)?, KIND, NOW])?;
        }
        Ok(())
    }

    fn grab(&mut self, recorder: &Recorder, kinds: &[&str]) -> Result<usize> {
        let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let (mut n, each) = (0, CLAIM_BATCH / u32::try_from(kinds.len())?);
        for kind in kinds {
            let mut read = tx.prepare_cached(READ)?;
            let mut rows = read.query(params![kind, each])?;
            while let Some(row) = rows.next()? {
                recorder.hit(serde_json::from_slice(row.get_ref(0)?.as_blob()?)?);
                n += 1;
            }
            tx.prepare_cached(TAKE)?.execute(params![kind, each, WORKER, NOW])?;
        }
        tx.commit()?;
        Ok(n)
    }

    fn end(&mut self, retention: Retention) -> Result<()> {
        let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if retention == Retention::History {
            tx.prepare_cached(&self.move_sql)?.execute(params![WORKER, NOW])?;
        }
        tx.prepare_cached(DELETE)?.execute([WORKER])?;
        tx.commit()?;
        Ok(())
    }
}

fn move_sql(db: &Connection) -> Result<String> {
    let mut query = db.prepare("select name from pragma_table_info('steadfast_history')")?;
    let columns = query.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    let (names, values) = moved(&columns, "?2");
    Ok(format!(
        "insert or fail into steadfast_history ({names}) select {values} from steadfast_task \
         where status = 5 and worker = ?1 and \"grant\" = 1"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::{Base, Ground};
    use crate::place::Place;
    use crate::raw;

    fn check(retention: Retention, history: u32) {
        let ground = Ground::new(Base::Sqlite, &format!("test-raw-{retention:?}")).unwrap();
        let mut raw = raw::open(ground.place()).unwrap();
        raw.insert_all(0..3200).unwrap();
        raw.insert(3200).unwrap();
        let recorder = Recorder::new(3201);
        raw.drain(&recorder, &[KIND], retention).unwrap();
        assert!(recorder.once());
        let Place::File(path) = ground.place() else { unreachable!() };
        let db = Connection::open(path).unwrap();
        let count = |table: &str| -> u32 {
            db.query_row(&format!("select count(*) from {table}"), [], |row| row.get(0)).unwrap()
        };
        assert_eq!((count("steadfast_task"), count("steadfast_history")), (0, history));
    }

    #[test]
    fn plain_statements_run_everything_once() {
        check(Retention::Delete, 0);
        check(Retention::History, 3201);
    }
}
