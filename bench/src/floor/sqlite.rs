//! The floor of SQLite.

use super::{Claimed, Floor, INSERT_BATCH};
use crate::Result;
use crate::pad::{self, Padded};
use rusqlite::{Connection, StatementStatus, TransactionBehavior};
use std::ops::Range;
use std::path::Path;

const SCHEMA: &str = "
    pragma journal_mode = wal;
    pragma synchronous = full;
    create table job (
        id integer primary key,
        queue text not null default 'default',
        kind text not null,
        payload text not null,
        priority int not null default 0,
        state int not null default 0,
        run_at int not null,
        attempts int not null default 0,
        locked_by text,
        locked_until int,
        created_at int not null
    );
    create index job_ready on job (priority, run_at, id) where state = 0;";

/// One row.
pub(crate) const INSERT: &str =
    "insert into job (kind, payload, run_at, created_at) values ('noop', ?1, 0, 0)";

const CLAIM: &str = "
    update job
    set state = 1, attempts = attempts + 1, locked_by = 'w', locked_until = 99
    where id in (
        select id from job where state = 0 and run_at <= 1 order by priority, run_at, id limit ?1
    )
    returning id, payload";

const DELETE: &str = "delete from job where id = ?1";

/// Behind those that were not claimed yet.
const PUT_BACK: &str = "update job set state = 0, run_at = 1 where id = ?1";

/// A lean table in a file of its own.
pub(crate) struct SqliteFloor {
    db: Connection,
    /// Of the database's machine, for all claims.
    steps: u32,
    pad: Option<String>,
}

impl SqliteFloor {
    pub(crate) fn open(path: &Path, pad: Option<String>) -> Result<Self> {
        let db = Connection::open(path)?;
        db.execute_batch(SCHEMA)?;
        db.set_prepared_statement_cache_capacity(32);
        Ok(Self { db, steps: 0, pad })
    }

    /// What one statement does to each of these rows, in one commit.
    fn each(&mut self, sql: &str, claimed: &[Claimed]) -> Result<()> {
        let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut statement = tx.prepare_cached(sql)?;
            for (id, _) in claimed {
                statement.execute([id])?;
            }
        }
        tx.commit()?;
        Ok(())
    }
}

impl Floor for SqliteFloor {
    fn insert(&mut self, number: u32) -> Result<()> {
        self.db.prepare_cached(INSERT)?.execute([number.to_string()])?;
        Ok(())
    }

    fn insert_all(&mut self, numbers: Range<u32>) -> Result<()> {
        let mut numbers = numbers.peekable();
        let written = |number: u32| match &self.pad {
            Some(pad) => serde_json::to_string(&Padded { id: number, pad: pad.into() }),
            None => Ok(number.to_string()),
        };
        while numbers.peek().is_some() {
            let tx = self.db.transaction()?;
            {
                let mut insert = tx.prepare_cached(INSERT)?;
                for number in numbers.by_ref().take(INSERT_BATCH as usize) {
                    insert.execute([written(number)?])?;
                }
            }
            tx.commit()?;
        }
        Ok(())
    }

    fn claim(&mut self, n_max: u32) -> Result<Vec<Claimed>> {
        let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut claimed = Vec::new();
        let steps = {
            let mut claim = tx.prepare_cached(CLAIM)?;
            let mut rows = claim.query([n_max])?;
            while let Some(row) = rows.next()? {
                claimed.push((row.get(0)?, pad::number(&row.get::<_, String>(1)?)?));
            }
            drop(rows);
            claim.reset_status(StatementStatus::VmStep)
        };
        tx.commit()?;
        self.steps = self.steps.saturating_add(u32::try_from(steps)?);
        Ok(claimed)
    }

    fn delete(&mut self, claimed: &[Claimed]) -> Result<()> {
        self.each(DELETE, claimed)
    }

    fn put_back(&mut self, claimed: &[Claimed]) -> Result<()> {
        self.each(PUT_BACK, claimed)
    }

    fn analyze(&mut self) -> Result<()> {
        // Its plans know no numbers.
        Ok(())
    }

    fn count_claims(&mut self) -> Result<()> {
        self.steps = 0;
        Ok(())
    }

    fn claims_cost(&mut self) -> Result<u32> {
        Ok(self.steps)
    }
}
