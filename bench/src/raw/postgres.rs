//! Plain statements on the tables of the PostgreSQL store.

use super::{NOW, Raw, moved};
use crate::Result;
use crate::floor::{CLAIM_BATCH, INSERT_BATCH};
use crate::plain::postgres::Plain;
use crate::recorder::Recorder;
use std::ops::Range;
use steadfast::Retention;
use steadfast_postgres::tokio_postgres::Statement;
use uuid::Uuid;

/// As the store sets up its sessions: its statements are planned once, for tables that may be empty at that moment.
pub(crate) const SETUP: &str = "
    set plan_cache_mode = force_generic_plan;
    set enable_seqscan = off;
    set enable_hashjoin = off;
    set enable_mergejoin = off;
    set enable_bitmapscan = off;
    set jit = off;";

/// A ready task with nothing but a payload.
pub(crate) const INSERT: &str = r#"
    insert into task (
        id, bucket, kind, status, priority, due_at, ready_at, base_at, created_at, changed_at,
        "grant", version, attempt, failures, lost, format, payload_len, payload
    )
    select
        ('01900000-0000-7000-8000-' || lpad(to_hex($1::int), 12, '0'))::uuid, 'default', 'noop', 4, 5,
        1700000000000000, 1700000000000000, 1700000000000000, 1700000000000000, 1700000000000000,
        0, 0, 0, 0, 0, 0, octet_length($1::int::text), convert_to($1::int::text, 'utf8')"#;

/// The same for many.
const INSERT_ALL: &str = r#"
    insert into task (
        id, bucket, kind, status, priority, due_at, ready_at, base_at, created_at, changed_at,
        "grant", version, attempt, failures, lost, format, payload_len, payload
    )
    select
        ('01900000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, 'default', 'noop', 4, 5,
        1700000000000000, 1700000000000000, 1700000000000000, 1700000000000000, 1700000000000000,
        0, 0, 0, 0, 0, 0, octet_length(number::text), convert_to(number::text, 'utf8')
    from unnest($1::int[]) as given (number)"#;

const GRAB: &str = r#"
    with picked as materialized (
        select ready.id
        from unnest($1::text[]) as demand (kind)
        cross join lateral (
            select id
            from task
            where status = 4 and bucket = 'default' and kind = demand.kind and priority = 5 and (lost >= 2) is false
            order by ready_at, seq
            limit $2::bigint
            for update skip locked
        ) as ready
    )
    update task
    set status = 5, "grant" = "grant" + 1, worker = $3::uuid, attempt = attempt + 1, deadline_at = $4::bigint,
        version = version + 1, changed_at = $4::bigint
    from picked
    where task.id = picked.id
    returning task.id, task.payload"#;

const DELETE: &str = r#"
    delete from task
    using unnest($1::uuid[]) as given (id)
    where task.id = given.id and task."grant" = 1 and task.worker = $2::uuid"#;

const COLUMNS: &str = "
    select column_name::text
    from information_schema.columns
    where table_schema = $1 and table_name = 'history'
    order by ordinal_position";

const WORKER: Uuid = Uuid::from_u128(7);

/// The tables of a store in a schema.
pub(crate) struct PostgresRaw {
    db: Plain,
    insert: Statement,
    insert_all: Statement,
    grab: Statement,
    delete: Statement,
    /// The same into the history.
    keep: Statement,
    /// What was grabbed last.
    held: Vec<Uuid>,
}

impl PostgresRaw {
    pub(crate) fn open(schema: &str) -> Result<Self> {
        let db = Plain::open(schema)?;
        db.batch(SETUP)?;
        let columns = db.ask(COLUMNS, &[&schema])?.iter().map(|row| row.get(0)).collect::<Vec<String>>();
        let (names, values) = moved(&columns, &NOW.to_string());
        let keep = format!(
            "with gone as ({DELETE} returning task.*) insert into history ({names}) select {values} from gone"
        );
        let [insert, insert_all, grab, delete, keep] =
            [INSERT, INSERT_ALL, GRAB, DELETE, &keep].map(|sql| db.prepare(sql));
        let (insert, insert_all, grab) = (insert?, insert_all?, grab?);
        Ok(Self { insert, insert_all, grab, delete: delete?, keep: keep?, held: Vec::new(), db })
    }
}

impl Raw for PostgresRaw {
    fn insert(&mut self, number: u32) -> Result<()> {
        self.db.execute(&self.insert, &[&i32::try_from(number)?])
    }

    fn insert_all(&mut self, numbers: Range<u32>) -> Result<()> {
        let numbers = numbers.map(i32::try_from).collect::<std::result::Result<Vec<_>, _>>()?;
        for some in numbers.chunks(INSERT_BATCH as usize) {
            self.db.execute(&self.insert_all, &[&some])?;
        }
        Ok(())
    }

    fn grab(&mut self, recorder: &Recorder, kinds: &[&str]) -> Result<usize> {
        let each = i64::from(CLAIM_BATCH) / i64::try_from(kinds.len())?;
        let rows = self.db.query(&self.grab, &[&kinds, &each, &WORKER, &NOW])?;
        self.held.clear();
        for row in &rows {
            self.held.push(row.try_get(0)?);
            recorder.hit(serde_json::from_slice(row.try_get(1)?)?);
        }
        Ok(rows.len())
    }

    fn end(&mut self, retention: Retention) -> Result<()> {
        let statement = if retention == Retention::History { &self.keep } else { &self.delete };
        self.held.sort();
        self.db.execute(statement, &[&self.held, &WORKER])
    }
}
