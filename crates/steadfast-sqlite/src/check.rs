//! Whether the file is well.

use crate::db::Db;
use crate::fault::Fallible;
use crate::migrate;
use crate::row::text;
use steadfast_core::Finding;

const JOURNAL: &str = include_str!("../sql/check_journal.sql");
const SIZE: &str = include_str!("../sql/check_size.sql");
const WHOLE: &str = include_str!("../sql/check_whole.sql");
const VERSION: &str = include_str!("../sql/setup/schema_version.sql");

/// A file of which more than this is free pages, in percent, is worth making smaller.
const FREE_PERCENT_MAX: i64 = 50;
/// Smaller files are not worth it, in bytes.
const FREE_BYTES_MIN: i64 = 64 * 1024 * 1024;

/// Looks at the journal, the schema, the size and the file itself, page by page.
pub(crate) fn check(db: &Db<'_>) -> Fallible<Vec<Finding>> {
    Ok(vec![journal(db)?, schema(db)?, size(db)?, whole(db)?])
}

fn journal(db: &Db<'_>) -> Fallible<Finding> {
    let mode = db.first(JOURNAL, [], |row| Ok(text(row, 0)?.to_owned()))?.unwrap_or_default();
    Ok(match mode.as_str() {
        "wal" => Finding::good("journal", "mode wal; every commit is synced to disk before it returns"),
        _ => Finding::bad("journal", format!("mode {mode}; set `pragma journal_mode = wal`")),
    })
}

fn schema(db: &Db<'_>) -> Fallible<Finding> {
    let version: i64 = db.first(VERSION, [], |row| Ok(row.get(0)?))?.unwrap_or(0);
    Ok(Finding::good("schema", format!("version {version}, this build knows {}", migrate::KNOWN)))
}

fn size(db: &Db<'_>) -> Fallible<Finding> {
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let (bytes, free): (i64, i64) = db.first(SIZE, [], read)?.unwrap_or_default();
    let text = format!("{} KiB, {} KiB of it free", bytes / 1024, free / 1024);
    Ok(if free >= FREE_BYTES_MIN && free * 100 > bytes * FREE_PERCENT_MAX {
        Finding::warning("size", format!("{text}; `vacuum` gives it back while no worker runs"))
    } else {
        Finding::good("size", text)
    })
}

fn whole(db: &Db<'_>) -> Fallible<Finding> {
    let said = db.all(WHOLE, [], |row| Ok(text(row, 0)?.to_owned()))?;
    Ok(match said.first().map(String::as_str) {
        Some("ok") => Finding::good("file", "every page reads well"),
        _ => Finding::bad("file", format!("damaged; restore it from a backup ({})", said.join("; "))),
    })
}
