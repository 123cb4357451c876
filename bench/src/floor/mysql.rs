//! The floor of MariaDB and MySQL.

use super::{Claimed, Floor, INSERT_BATCH};
use crate::plain::mysql::Plain;
use crate::{Result, counters};
use std::fmt::Display;
use std::ops::Range;
use steadfast_mysql::mysql_async::Row;

const SCHEMA: &str = "
    create table job (
        id bigint not null auto_increment primary key,
        queue varchar(64) not null default 'default',
        kind varchar(64) not null,
        payload json not null,
        priority smallint not null default 0,
        state smallint not null default 0,
        run_at datetime(6) not null default now(6),
        attempts int not null default 0,
        max_attempts int not null default 25,
        locked_by varchar(64),
        locked_until datetime(6),
        created_at datetime(6) not null default now(6),
        done_at datetime(6),
        key job_ready (state, priority, run_at, id)
    ) engine = innodb";

/// The default would lock the gaps between rows too, and with them whoever inserts.
pub(crate) const SETUP: &str = "set session transaction isolation level read committed";

/// One row.
pub(crate) const INSERT: &str = "insert into job (kind, payload) values ('noop', json_object('id', ?))";

const CLAIM: &str = "
    select id, cast(json_value(payload, '$.id') as unsigned)
    from job
    where state = 0 and run_at <= now(6)
    order by priority, run_at, id
    limit ?
    for update skip locked";

/// The same with all of the payload.
const CLAIM_PADDED: &str = "
    select id, cast(json_value(payload, '$.id') as unsigned), payload
    from job
    where state = 0 and run_at <= now(6)
    order by priority, run_at, id
    limit ?
    for update skip locked";

/// A lean table in a database of its own.
pub(crate) struct MySqlFloor {
    db: Plain,
    /// Rows read when claims began to be counted.
    reads_before: u64,
    pad: Option<String>,
}

impl MySqlFloor {
    pub(crate) fn open(database: &str, pad: Option<String>) -> Result<Self> {
        Plain::open(database)?.batch(SCHEMA)?;
        Self::join(database, pad)
    }

    /// One more connection to a table that is there.
    pub(crate) fn join(database: &str, pad: Option<String>) -> Result<Self> {
        let mut db = Plain::open(database)?;
        db.batch(SETUP)?;
        Ok(Self { db, reads_before: 0, pad })
    }

    fn pick(&mut self, n_max: u32) -> Result<Vec<Claimed>> {
        if self.pad.is_none() {
            return self.db.query(CLAIM, (n_max,));
        }
        let whole: Vec<(i64, u32, String)> = self.db.query(CLAIM_PADDED, (n_max,))?;
        Ok(whole.into_iter().map(|(id, number, _)| (id, number)).collect())
    }
}

impl Floor for MySqlFloor {
    fn insert(&mut self, number: u32) -> Result<()> {
        self.db.execute(INSERT, (number,))
    }

    fn insert_all(&mut self, numbers: Range<u32>) -> Result<()> {
        let pad = self.pad.as_ref().map_or(String::new(), |pad| format!(",\"pad\":\"{pad}\""));
        let rows: Vec<String> =
            numbers.map(|number| format!("('noop', '{{\"id\":{number}{pad}}}')")).collect();
        for some in rows.chunks(INSERT_BATCH as usize) {
            self.db.batch(&format!("insert into job (kind, payload) values {}", some.join(", ")))?;
        }
        Ok(())
    }

    fn claim(&mut self, n_max: u32) -> Result<Vec<Claimed>> {
        self.db.batch("start transaction")?;
        let claimed = self.pick(n_max)?;
        if claimed.is_empty() {
            self.db.batch("commit")?;
            return Ok(claimed);
        }
        self.db.batch(&format!(
            "update job
            set state = 1, attempts = attempts + 1, locked_by = 'w', locked_until = now(6) + interval 60 second
            where id in ({});
            commit",
            listed(claimed.iter().map(|(id, _)| id))
        ))?;
        Ok(claimed)
    }

    fn delete(&mut self, claimed: &[Claimed]) -> Result<()> {
        self.db.batch(&format!("delete from job where id in ({})", listed(claimed.iter().map(|(id, _)| id))))
    }

    fn put_back(&mut self, claimed: &[Claimed]) -> Result<()> {
        self.db.batch(&format!(
            "update job set state = 0, run_at = now(6) + interval 100000 microsecond where id in ({})",
            listed(claimed.iter().map(|(id, _)| id))
        ))
    }

    fn analyze(&mut self) -> Result<()> {
        self.db.ask::<Row>("analyze table job").map(drop)
    }

    fn count_claims(&mut self) -> Result<()> {
        self.reads_before = counters::mysql::reads(&mut self.db)?;
        Ok(())
    }

    fn claims_cost(&mut self) -> Result<u32> {
        Ok(u32::try_from(counters::mysql::reads(&mut self.db)? - self.reads_before)?)
    }
}

/// Ids for `in`: a list has no parameter of its own.
pub(crate) fn listed<T: Display>(ids: impl Iterator<Item = T>) -> String {
    ids.map(|id| id.to_string()).collect::<Vec<_>>().join(", ")
}
