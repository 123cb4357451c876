//! Large grabs in one bucket, one after the other.
//!
//! Two at a time are in each other's way. Each passes over all that the other is taking before it comes to what is free,
//! on the very pages that the other writes. And of what was granted since it began it locks the new row before it sees that
//! this is not ready any more, so that the end of that run waits for it. Side by side on two
//! cores, two workers cost the server 39 ms of processor time for a thousand tasks, in line 29.5; four 46 and 32.
//!
//! To stand in line is a courtesy: whoever has stood there for too long goes ahead all the same. Small grabs do at once.

use crate::fault::Fallible;
use crate::pool::Pool;
use crate::sql::{Params, Sql};
use crate::transaction::Tx;
use steadfast_core::Bucket;
use tokio_postgres::Row;

/// So many tasks are worth the wait.
pub(crate) const IN_LINE_MIN: usize = 100;

/// Runs one statement that is a whole transaction, when all others that are run so in its bucket have ended.
pub(crate) async fn run_in_line(
    pool: &Pool,
    bucket: &Bucket,
    sql: &Sql,
    params: Params<'_>,
) -> Fallible<Vec<Row>> {
    let loan = pool.take().await?;
    // What is prepared on the way would come behind the commit.
    loan.db().prepared(sql).await?;
    let lock = lock_of(pool.setting.schema.name(), bucket.as_str());
    match Tx::new(loan).behind(lock).only(sql, params).await {
        // Many were before us, or one of them stands still.
        Err(fault) if fault.is_locked_out() => pool.run(sql, params).await,
        answer => answer,
    }
}

/// The number of an advisory lock, the same in every build (FNV-1a): it is shared with all that the database is used for.
fn lock_of(schema: &str, bucket: &str) -> i64 {
    let bytes = ["steadfast grabs", schema, bucket].into_iter().flat_map(|part| part.bytes().chain([0]));
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.fold(0xcbf2_9ce4_8422_2325, mix).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bucket_of_each_schema_has_a_lock_of_its_own() {
        let locks =
            [("a", "b"), ("ab", ""), ("a", "c"), ("b", "b")].map(|(schema, bucket)| lock_of(schema, bucket));
        for (at, lock) in locks.iter().enumerate() {
            assert!(!locks[..at].contains(lock), "{at}");
        }
        assert_eq!(
            lock_of("steadfast", "default"),
            -5_186_485_534_109_245_861,
            "builds of all ages meet at it"
        );
    }
}
