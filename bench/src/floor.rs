//! The floor: a lean table, raw statements, no engine. The absolute limit of SQLite on this machine.

use crate::Result;
use crate::meter::Meter;
use crate::place::Scratch;
use crate::recorder::Recorder;
use rusqlite::{Connection, StatementStatus, TransactionBehavior};
use std::ops::Range;

/// Rows that one transaction inserts.
pub(crate) const INSERT_BATCH: u32 = 1000;
/// Rows that one transaction claims or deletes.
pub(crate) const CLAIM_BATCH: u32 = 500;

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

const INSERT: &str = "insert into job (kind, payload, run_at, created_at) values ('noop', ?1, ?2, 0)";

const CLAIM: &str = "
    update job
    set state = 1, attempts = attempts + 1, locked_by = 'w', locked_until = 99
    where id in (
        select id from job where state = 0 and run_at <= 1 order by priority, run_at, id limit ?1
    )
    returning id, payload";

const DELETE: &str = "delete from job where id = ?1";

/// A lean table in a file of its own.
pub(crate) struct Floor {
    db: Connection,
}

/// A claimed row: its id and the number that it was inserted with.
pub(crate) type Claimed = (i64, u32);

impl Floor {
    pub(crate) fn open(scratch: &Scratch, name: &str) -> Result<Self> {
        let db = Connection::open(scratch.database(name))?;
        db.execute_batch(SCHEMA)?;
        db.set_prepared_statement_cache_capacity(32);
        Ok(Self { db })
    }

    /// One insert in a commit of its own.
    pub(crate) fn insert(&self, number: u32) -> Result<()> {
        self.db.prepare_cached(INSERT)?.execute((number.to_string(), 0))?;
        Ok(())
    }

    /// Inserts in transactions of [`INSERT_BATCH`], to be run at that time (0 is now, over 1 is the future).
    pub(crate) fn insert_all(&mut self, numbers: Range<u32>, run_at: i64) -> Result<()> {
        let mut numbers = numbers.peekable();
        while numbers.peek().is_some() {
            let tx = self.db.transaction()?;
            {
                let mut insert = tx.prepare_cached(INSERT)?;
                for number in numbers.by_ref().take(INSERT_BATCH as usize) {
                    insert.execute((number.to_string(), run_at))?;
                }
            }
            tx.commit()?;
        }
        Ok(())
    }

    /// Claims up to `n_max` rows in one commit.
    pub(crate) fn claim(&mut self, n_max: u32) -> Result<Vec<Claimed>> {
        self.claim_counted(n_max).map(|(claimed, _)| claimed)
    }

    /// The same, with the steps that the database's machine took for it.
    pub(crate) fn claim_counted(&mut self, n_max: u32) -> Result<(Vec<Claimed>, u32)> {
        let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut claimed = Vec::new();
        let steps = {
            let mut claim = tx.prepare_cached(CLAIM)?;
            let mut rows = claim.query([n_max])?;
            while let Some(row) = rows.next()? {
                claimed.push((row.get(0)?, row.get::<_, String>(1)?.parse()?));
            }
            drop(rows);
            claim.reset_status(StatementStatus::VmStep)
        };
        tx.commit()?;
        Ok((claimed, u32::try_from(steps)?))
    }

    /// Deletes claimed rows in one commit.
    pub(crate) fn delete(&mut self, claimed: &[Claimed]) -> Result<()> {
        let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut delete = tx.prepare_cached(DELETE)?;
            for (id, _) in claimed {
                delete.execute([id])?;
            }
        }
        tx.commit()?;
        Ok(())
    }

    /// Claims and deletes until nothing is left, [`CLAIM_BATCH`] at a time.
    pub(crate) fn drain(&mut self, recorder: &Recorder) -> Result<()> {
        loop {
            let claimed = self.claim(CLAIM_BATCH)?;
            if claimed.is_empty() {
                return Ok(());
            }
            recorder.hit_all(&claimed);
            self.delete(&claimed)?;
        }
    }
}

/// Prints what the database alone can do: the shapes that every figure is set beside.
pub(crate) fn print_figures() -> Result<()> {
    let scratch = Scratch::new("floor-check")?;
    let show = |what: &str, meter: &Meter, n: u32, once: Option<bool>| -> Result<()> {
        let sample = meter.sample(n, once)?;
        println!("{}", serde_json::json!({ "what": what, "sample": sample }));
        Ok(())
    };

    let (n, floor) = (2000, Floor::open(&scratch, "insert")?);
    let meter = Meter::start()?;
    (0..n).try_for_each(|number| floor.insert(number))?;
    show("insert, one commit each", &meter, n, None)?;

    let (recorder, mut floor) = (Recorder::new(n), Floor::open(&scratch, "cycle")?);
    let meter = Meter::start()?;
    for number in 0..n {
        floor.insert(number)?;
        let claimed = floor.claim(1)?;
        recorder.hit_all(&claimed);
        floor.delete(&claimed)?;
    }
    show("life cycle, three commits each", &meter, n, Some(recorder.once()))?;

    let n = 50_000;
    let (recorder, mut floor) = (Recorder::new(n), Floor::open(&scratch, "batched")?);
    let meter = Meter::start()?;
    floor.insert_all(0..n, 0)?;
    show("insert, batches of 1000", &meter, n, None)?;
    let drain = Meter::start()?;
    floor.drain(&recorder)?;
    show("drain, batches of 500", &drain, n, Some(recorder.once()))?;
    show("life cycle, inserts of 1000 and batches of 500", &meter, n, Some(recorder.once()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drained_floor_ran_everything_that_is_due_once() {
        let scratch = Scratch::new("test-floor").unwrap();
        let mut floor = Floor::open(&scratch, "drain").unwrap();
        floor.insert(0).unwrap();
        floor.insert_all(1..2500, 0).unwrap();
        floor.insert_all(2500..2600, 99).unwrap();
        let recorder = Recorder::new(2500);
        floor.drain(&recorder).unwrap();
        assert!(recorder.once());
        assert!(floor.claim(10).unwrap().is_empty());
    }

    #[test]
    fn the_steps_of_a_claim_do_not_grow_with_future_rows() {
        let scratch = Scratch::new("test-steps").unwrap();
        let steps = |future: u32| {
            let mut floor = Floor::open(&scratch, &format!("steps{future}")).unwrap();
            floor.insert_all(0..100, 0).unwrap();
            floor.insert_all(100..100 + future, 99).unwrap();
            floor.claim_counted(50).unwrap().1
        };
        assert_eq!(steps(0), steps(5000));
    }
}
