//! Buckets that an operator paused.

use crate::db::Db;
use crate::fault::Fallible;
use crate::row::text;
use steadfast_core::Bucket;

const PAUSE: &str = include_str!("../sql/bucket_pause.sql");
const RELEASE: &str = include_str!("../sql/bucket_release.sql");
const IS_PAUSED: &str = include_str!("../sql/bucket_paused.sql");
const PAUSED: &str = include_str!("../sql/buckets_paused.sql");

/// Pauses a bucket or lets it go on.
pub(crate) fn pause(db: &Db<'_>, bucket: &Bucket, paused: bool) -> Fallible<()> {
    db.execute(if paused { PAUSE } else { RELEASE }, [bucket.as_str()])?;
    Ok(())
}

/// Whether nothing may be grabbed from a bucket.
pub(crate) fn is_paused(db: &Db<'_>, bucket: &Bucket) -> Fallible<bool> {
    Ok(db.first(IS_PAUSED, [bucket.as_str()], |_| Ok(()))?.is_some())
}

/// The buckets that are paused.
pub(crate) fn paused(db: &Db<'_>) -> Fallible<Vec<Bucket>> {
    db.all(PAUSED, [], |row| Ok(Bucket::new(text(row, 0)?)?))
}
