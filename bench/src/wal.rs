//! How much a PostgreSQL server has written into its log, whoever made it.

use crate::Result;
use crate::place::Place;
use crate::plain::postgres::Plain;

const WRITTEN: &str = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint";

/// Bytes since the server was made; none of other databases.
pub(crate) fn written(place: &Place) -> Result<Option<u64>> {
    let Place::Schema(schema) = place else { return Ok(None) };
    let schema = schema.clone();
    // On a thread of its own: whoever asks may be inside a runtime, where nothing may wait for another one.
    let asking = std::thread::spawn(move || ask(&schema).map_err(|error| error.to_string()));
    let bytes = asking.join().map_err(|_| "the thread that asks for the log panicked")??;
    Ok(Some(bytes))
}

fn ask(schema: &str) -> Result<u64> {
    let rows = Plain::open(schema)?.ask(WRITTEN, &[])?;
    let bytes: i64 = rows.first().ok_or("the server does not say where its log stands")?.try_get(0)?;
    Ok(u64::try_from(bytes)?)
}
