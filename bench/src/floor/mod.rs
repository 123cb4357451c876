//! The floor: a lean table, raw statements, no engine. The absolute limit of a database on this machine.

mod mysql;
mod postgres;
mod sqlite;

use crate::Result;
use crate::ground::{Base, Ground};
use crate::meter::Meter;
use crate::place::Place;
use crate::recorder::Recorder;
use std::ops::Range;

pub(crate) use mysql::{INSERT as MYSQL_INSERT, SETUP as MYSQL_SETUP, listed};
pub(crate) use postgres::INSERT as POSTGRES_INSERT;
pub(crate) use sqlite::INSERT as SQLITE_INSERT;

use mysql::MySqlFloor;
use postgres::PostgresFloor;
use sqlite::SqliteFloor;

/// Rows that one transaction inserts.
pub(crate) const INSERT_BATCH: u32 = 1000;
/// Rows that one transaction claims or deletes.
pub(crate) const CLAIM_BATCH: u32 = 500;

/// A claimed row: its id and the number that it was inserted with.
pub(crate) type Claimed = (i64, u32);

/// A lean table, through one connection.
pub(crate) trait Floor: Send {
    /// One insert in a commit of its own.
    fn insert(&mut self, number: u32) -> Result<()>;

    /// Inserts in transactions of [`INSERT_BATCH`].
    fn insert_all(&mut self, numbers: Range<u32>) -> Result<()>;

    /// Claims up to `n_max` rows in one commit.
    fn claim(&mut self, n_max: u32) -> Result<Vec<Claimed>>;

    /// Deletes claimed rows in one commit.
    fn delete(&mut self, claimed: &[Claimed]) -> Result<()>;

    /// Lets claimed rows be claimed again a tenth of a second later, in one commit. A file does not wait: it knows no
    /// clock.
    fn put_back(&mut self, claimed: &[Claimed]) -> Result<()>;

    /// Lets the planner know what was inserted, as it does in a database that is in use.
    fn analyze(&mut self) -> Result<()>;

    /// Begins to count what claims cost.
    fn count_claims(&mut self) -> Result<()>;

    /// What claims have cost the database since: steps of its machine, buffers or rows that it looked into.
    fn claims_cost(&mut self) -> Result<u32>;

    /// Claims and deletes until nothing is left, [`CLAIM_BATCH`] at a time.
    fn drain(&mut self, recorder: &Recorder) -> Result<()> {
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

/// A lean table that is made now.
pub(crate) fn open(place: &Place) -> Result<Box<dyn Floor>> {
    make(place, None)
}

/// The same, where [`insert_all`](Floor::insert_all) gives each row this much text, and claims read it.
pub(crate) fn open_padded(place: &Place, pad: String) -> Result<Box<dyn Floor>> {
    make(place, Some(pad))
}

fn make(place: &Place, pad: Option<String>) -> Result<Box<dyn Floor>> {
    Ok(match place {
        Place::File(path) => Box::new(SqliteFloor::open(path, pad)?),
        Place::Schema(schema) => Box::new(PostgresFloor::open(schema, pad)?),
        Place::Database(database) => Box::new(MySqlFloor::open(database, pad)?),
    })
}

/// One more connection to a lean table that is there.
pub(crate) fn join(place: &Place) -> Result<Box<dyn Floor>> {
    Ok(match place {
        Place::File(_) => return Err("a file has one writer".into()),
        Place::Schema(schema) => Box::new(PostgresFloor::join(schema, None)?),
        Place::Database(database) => Box::new(MySqlFloor::join(database, None)?),
    })
}

/// Prints what a database alone can do: the shapes that every figure is set beside.
pub(crate) fn print_figures(base: Base) -> Result<()> {
    let show = |what: &str, meter: &Meter, n: u32, once: Option<bool>| -> Result<()> {
        let sample = meter.sample(n, once)?;
        println!("{}", serde_json::json!({ "store": base.name(), "what": what, "sample": sample }));
        Ok(())
    };

    let (n, ground) = (2000, Ground::new(base, "floor-insert")?);
    let mut floor = open(ground.place())?;
    let meter = Meter::start(&ground)?;
    (0..n).try_for_each(|number| floor.insert(number))?;
    show("insert, one commit each", &meter, n, None)?;

    let (recorder, ground) = (Recorder::new(n), Ground::new(base, "floor-cycle")?);
    let mut floor = open(ground.place())?;
    let meter = Meter::start(&ground)?;
    for number in 0..n {
        floor.insert(number)?;
        let claimed = floor.claim(1)?;
        recorder.hit_all(&claimed);
        floor.delete(&claimed)?;
    }
    show("life cycle, three commits each", &meter, n, Some(recorder.once()))?;

    let n = 50_000;
    let (recorder, ground) = (Recorder::new(n), Ground::new(base, "floor-batched")?);
    let mut floor = open(ground.place())?;
    let meter = Meter::start(&ground)?;
    floor.insert_all(0..n)?;
    show("insert, batches of 1000", &meter, n, None)?;
    floor.analyze()?;
    let drain = Meter::start(&ground)?;
    floor.drain(&recorder)?;
    show("drain, batches of 500", &drain, n, Some(recorder.once()))?;
    show("life cycle, inserts of 1000 and batches of 500", &meter, n, Some(recorder.once()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_padded_floor_reads_its_text_and_takes_rows_back() {
        let ground = Ground::new(Base::Sqlite, "test-padded").unwrap();
        let mut floor = open_padded(ground.place(), "text".into()).unwrap();
        floor.insert_all(0..10).unwrap();
        let claimed = floor.claim(4).unwrap();
        floor.put_back(&claimed).unwrap();
        let recorder = Recorder::new(10);
        floor.drain(&recorder).unwrap();
        assert!(recorder.once());
    }

    #[test]
    fn a_drained_floor_ran_everything_that_is_due_once() {
        let ground = Ground::new(Base::Sqlite, "test-floor").unwrap();
        let mut floor = open(ground.place()).unwrap();
        floor.insert(0).unwrap();
        floor.insert_all(1..2500).unwrap();
        floor.count_claims().unwrap();
        let recorder = Recorder::new(2500);
        floor.drain(&recorder).unwrap();
        assert!(recorder.once() && floor.claims_cost().unwrap() > 2500);
        assert!(floor.claim(10).unwrap().is_empty());
    }
}
