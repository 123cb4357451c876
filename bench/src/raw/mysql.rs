//! Plain statements on the tables of the MariaDB and MySQL store.

use super::{NOW, Raw, moved};
use crate::Result;
use crate::floor::{CLAIM_BATCH, INSERT_BATCH, listed};
use crate::plain::mysql::Plain;
use crate::recorder::Recorder;
use std::fmt::Write;
use std::ops::Range;
use steadfast::Retention;

/// As the store sets up its sessions, with quotes as other databases have them.
pub(crate) const SETUP: &str = "
    set session transaction isolation level read committed;
    set session sql_mode = 'STRICT_ALL_TABLES,ANSI_QUOTES'";

/// A ready task with nothing but a payload.
pub(crate) const INSERT: &str = r#"
    insert into steadfast_task (
        id, bucket, kind, status, priority, due_at, ready_at, base_at, created_at, changed_at,
        "grant", version, attempt, failures, lost, format, payload_len, payload
    )
    select
        unhex(concat('01900000000070008000', lpad(hex(number), 12, '0'))), 'default', 'noop', 4, 5,
        1700000000000000, 1700000000000000, 1700000000000000, 1700000000000000, 1700000000000000,
        0, 0, 0, 0, 0, 0, length(number), number
    from (select cast(? as unsigned) as number) as given"#;

/// The same for many; their values follow.
const INSERT_ALL: &str = r#"
    insert into steadfast_task (
        id, bucket, kind, status, priority, due_at, ready_at, base_at, created_at, changed_at,
        "grant", version, attempt, failures, lost, format, payload_len, payload
    )
    values "#;

const GRAB: &str = "
    select hex(id), payload
    from steadfast_task force index (task_kind)
    where status = 4 and bucket = 'default' and kind = ? and priority = 5 and suspect = 0
    order by ready_at, seq
    limit ?
    for update skip locked";

const COLUMNS: &str = "
    select column_name
    from information_schema.columns
    where table_schema = database() and table_name = 'steadfast_history'
    order by ordinal_position";

const WORKER: &str = "0x00000000000000000000000000000007";

/// The tables of a store in a database.
pub(crate) struct MySqlRaw {
    db: Plain,
    /// Names and values of the history's columns.
    kept: (String, String),
    /// What was grabbed last.
    held: Vec<String>,
}

impl MySqlRaw {
    pub(crate) fn open(database: &str) -> Result<Self> {
        let mut db = Plain::open(database)?;
        db.batch(SETUP)?;
        let columns: Vec<String> = db.ask(COLUMNS)?;
        Ok(Self { kept: moved(&columns, &NOW.to_string()), held: Vec::new(), db })
    }
}

impl Raw for MySqlRaw {
    fn insert(&mut self, number: u32) -> Result<()> {
        self.db.execute(INSERT, (number,))
    }

    fn insert_all(&mut self, numbers: Range<u32>) -> Result<()> {
        let rows: Vec<String> = numbers.map(values).collect();
        rows.chunks(INSERT_BATCH as usize)
            .try_for_each(|some| self.db.batch(&format!("{INSERT_ALL}{}", some.join(", "))))
    }

    fn grab(&mut self, recorder: &Recorder, kinds: &[&str]) -> Result<usize> {
        let each = CLAIM_BATCH / u32::try_from(kinds.len())?;
        self.held.clear();
        self.db.batch("start transaction")?;
        for kind in kinds {
            for (id, payload) in self.db.query::<(String, Vec<u8>)>(GRAB, (*kind, each))? {
                self.held.push(format!("0x{id}"));
                recorder.hit(serde_json::from_slice(&payload)?);
            }
        }
        let mut work = String::new();
        if !self.held.is_empty() {
            write!(
                work,
                r#"update steadfast_task
                set status = 5, "grant" = "grant" + 1, worker = {WORKER}, attempt = attempt + 1,
                    deadline_at = {NOW}, version = version + 1, changed_at = {NOW}
                where id in ({});"#,
                listed(self.held.iter())
            )?;
        }
        self.db.batch(&format!("{work} commit"))?;
        Ok(self.held.len())
    }

    fn end(&mut self, retention: Retention) -> Result<()> {
        self.held.sort();
        let fenced =
            format!(r#"where id in ({}) and "grant" = 1 and worker = {WORKER}"#, listed(self.held.iter()));
        let delete = format!("delete from steadfast_task {fenced}");
        if retention != Retention::History {
            return self.db.batch(&delete);
        }
        let (names, values) = &self.kept;
        self.db.batch(&format!(
            "start transaction;
            insert into steadfast_history ({names}) select {values} from steadfast_task {fenced};
            {delete};
            commit"
        ))
    }
}

fn values(number: u32) -> String {
    format!(
        "(0x01900000000070008000{number:012x}, 'default', 'noop', 4, 5, {NOW}, {NOW}, {NOW}, {NOW}, {NOW}, \
         0, 0, 0, 0, 0, 0, {}, '{number}')",
        number.to_string().len()
    )
}
