//! Buckets that an operator paused.

use crate::fault::Fallible;
use crate::pool::Pool;
use crate::sql::Sql;
use steadfast_core::Bucket;
use tokio_postgres::types::Type;

const PAUSE: Sql = Sql {
    name: "bucket_pause",
    text: include_str!("../sql/bucket_pause.sql"),
    types: &[Type::TEXT, Type::BOOL],
};
const PAUSED: Sql =
    Sql { name: "buckets_paused", text: include_str!("../sql/buckets_paused.sql"), types: &[] };

/// Pauses a bucket or lets it go on.
pub(crate) async fn pause(pool: &Pool, bucket: &Bucket, paused: bool) -> Fallible<()> {
    pool.run(&PAUSE, &[&bucket.as_str(), &paused]).await?;
    Ok(())
}

/// The buckets that are paused.
pub(crate) async fn paused(pool: &Pool) -> Fallible<Vec<Bucket>> {
    let rows = pool.read(&PAUSED, &[]).await?;
    rows.iter().map(|row| Ok(Bucket::new(row.try_get::<_, &str>(0)?)?)).collect()
}
