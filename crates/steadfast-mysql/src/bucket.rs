//! Buckets that an operator paused.

use crate::fault::Fallible;
use crate::pool::Pool;
use crate::sql::{Sql, params};
use steadfast_core::Bucket;

const PAUSE: Sql = Sql(include_str!("../sql/bucket_pause.sql"));
const GO_ON: Sql = Sql(include_str!("../sql/bucket_go_on.sql"));
const PAUSED: Sql = Sql(include_str!("../sql/buckets_paused.sql"));

/// Pauses a bucket or lets it go on.
pub(crate) async fn pause(pool: &Pool, bucket: &Bucket, paused: bool) -> Fallible<()> {
    let sql = if paused { &PAUSE } else { &GO_ON };
    pool.execute(sql, params![bucket.as_str()]).await?;
    Ok(())
}

/// The buckets that are paused.
pub(crate) async fn paused(pool: &Pool) -> Fallible<Vec<Bucket>> {
    if pool.setting.quiet.sight().is_some_and(|sight| !sight.paused) {
        return Ok(Vec::new());
    }
    let rows = pool.read(&PAUSED, params![]).await?;
    rows.iter().map(|row| Ok(Bucket::new(row.text(0)?)?)).collect()
}
