//! Tasks that are written into PostgreSQL past the engine, since there are too many of them to be added.

use crate::Result;
use crate::place::Place;
use crate::plain;
use crate::plain::postgres::{Params, Plain};
use std::ops::Range;

/// Tasks that one statement writes.
const CHUNK: u32 = 100_000;

const ENDED: &str = r#"
    insert into history (
        seq, id, bucket, kind, status, priority, due_at, ready_at, base_at, created_at, changed_at,
        "grant", version, attempt, failures, lost, format, payload_len, payload
    )
    select
        -number, ('01800000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, 'default', 'noop', 7, 5,
        time, time, time, time, time, 1, 2, 1, 0, 0, 0, 2, '\x3131'
    from generate_series($1::bigint, $2::bigint - 1) as number
    cross join lateral (select 1600000000000000 + number) as at (time)"#;

const READY: &str = r#"
    insert into task (
        id, bucket, kind, status, priority, due_at, ready_at, base_at, created_at, changed_at,
        "grant", version, attempt, failures, lost, format, payload_len, payload
    )
    select
        ('01800000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, 'default', 'noop', 4, 5,
        time, time, time, time, time, 0, 0, 0, 0, 0, 1, octet_length(number::text), convert_to(number::text, 'utf8')
    from generate_series($1::bigint, $2::bigint - 1) as number
    cross join lateral (select 1600000000000000 + number) as at (time)"#;

/// The indexes of the living tasks but for the one that keeps them unique: name and definition.
const INDEXES: &str = "
    select indexname::text, indexdef
    from pg_indexes
    where schemaname = $1 and tablename = 'task' and indexname <> 'task_pkey'";

/// Tasks in the history.
pub(crate) fn ended(place: &Place, n: u32) -> Result<()> {
    let db = open(place)?.0;
    write(&db, ENDED, n)?;
    db.batch("vacuum (analyze) history")
}

/// Numbered tasks of the kind that is measured, in the order of their numbers.
pub(crate) fn ready(place: &Place, n: u32) -> Result<()> {
    let (db, schema) = open(place)?;
    // What a task costs hangs on whether its page was vacuumed, in lines of any length.
    db.batch("alter table task set (autovacuum_enabled = off)")?;
    let indexes = db.ask(INDEXES, &[&schema])?;
    // An index over what is there is made in a fraction of the time that it takes to follow each row.
    for index in &indexes {
        db.batch(&format!("drop index {}", index.try_get::<_, &str>(0)?))?;
    }
    write(&db, READY, n)?;
    db.batch("set maintenance_work_mem = '1GB'")?;
    for index in &indexes {
        db.batch(index.try_get(1)?)?;
    }
    db.batch("analyze task")
}

/// More of them while an engine works, which is told as by `steadfast.add`.
pub(crate) async fn more(place: &Place, numbers: Range<u32>) -> Result<()> {
    let schema = schema(place)?;
    let client = plain::postgres::connect(schema).await?;
    client.execute(READY, &[&i64::from(numbers.start), &i64::from(numbers.end)]).await?;
    client.execute("select pg_notify($1, '- look 0 default')", &[&format!("{schema}.hints")]).await?;
    Ok(())
}

fn open(place: &Place) -> Result<(Plain, &str)> {
    let schema = schema(place)?;
    Ok((Plain::open(schema)?, schema))
}

fn schema(place: &Place) -> Result<&str> {
    match place {
        Place::Schema(schema) => Ok(schema),
        _ => Err("only PostgreSQL is written past the engine".into()),
    }
}

fn write(db: &Plain, sql: &str, n: u32) -> Result<()> {
    let statement = db.prepare(sql)?;
    for first in (0..n).step_by(CHUNK as usize) {
        let range: Params<'_> = &[&i64::from(first), &i64::from(n.min(first + CHUNK))];
        db.execute(&statement, range)?;
    }
    Ok(())
}
