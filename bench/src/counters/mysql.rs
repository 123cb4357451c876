//! What a MariaDB or MySQL server has counted, for all its sessions together.

use super::Cost;
use crate::Result;
use crate::plain::mysql::Plain;

const READS: &str = "show global status like 'Handler_read%'";
const STATEMENTS: &str = "show global status like 'Questions'";

/// Rows and index entries that statements have asked the tables for.
pub(crate) fn reads(db: &mut Plain) -> Result<u64> {
    sum(db, READS)
}

/// What the server has done since it was started.
pub(super) fn so_far() -> Result<Cost> {
    let mut db = Plain::open("")?;
    Ok(Cost { work: reads(&mut db)?, statements: sum(&mut db, STATEMENTS)? })
}

fn sum(db: &mut Plain, sql: &str) -> Result<u64> {
    Ok(db.ask::<(String, u64)>(sql)?.iter().map(|(_, n)| n).sum())
}
