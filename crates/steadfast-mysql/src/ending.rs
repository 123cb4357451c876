//! Tasks that leave the living ones: what is kept of them, and when their keys are free again.

use crate::cells::Cells;
use crate::columns::{hex, hex_id, ids, list};
use crate::db::Db;
use crate::fault::Fallible;
use crate::row;
use crate::search::{self, Term, Terms};
use crate::sql::{Sql, params};
use serde_json::json;
use std::collections::HashMap;
use steadfast_core::{Key, Retention, TaskId, Time};

const KEEP: Sql = Sql(include_str!("../sql/end_keep.sql"));
const END: Sql = Sql(include_str!("../sql/end.sql"));
const KEY_END: Sql = Sql(include_str!("../sql/key_end.sql"));
const WINDOWS: Sql = Sql(include_str!("../sql/key_windows.sql"));

/// A task on its way out, locked: what has to be done beside its row.
pub(crate) struct Ending {
    pub(crate) id: TaskId,
    pub(crate) retention: Retention,
    pub(crate) key: Option<Key>,
    /// How long its key outlives it, in microseconds.
    pub(crate) window: i64,
    pub(crate) terms: Vec<Term>,
}

impl Ending {
    /// From the columns id, key space, key, window, serial, search1, search2, parent.
    pub(crate) fn read(row: &Cells, retention: Retention) -> Fallible<Self> {
        let key = row::key_or_none(row, 1)?;
        let terms = match retention {
            Retention::Delete => Terms::read(row, 1, key.as_ref())?.each().collect(),
            Retention::History | Retention::Bare => Vec::new(),
        };
        Ok(Self { id: row.task_id(0)?, retention, key, window: row.int_or_none(3)?.unwrap_or(0), terms })
    }
}

/// Takes tasks that were written back as final out of the living ones.
pub(crate) async fn end(db: &mut Db<'_>, ended: &[(TaskId, Retention)]) -> Fallible<()> {
    if ended.is_empty() {
        return Ok(());
    }
    let kept: Vec<_> = ended.iter().filter(|(_, retention)| *retention != Retention::Delete).collect();
    if !kept.is_empty() {
        let row = |(task, retention): &(TaskId, Retention)| json!([hex_id(task.uuid()), whole(*retention)]);
        db.execute(&KEEP, params![list(kept, row)]).await?;
    }
    let retentions: HashMap<TaskId, Retention> = ended.iter().copied().collect();
    let rows = db.query(&WINDOWS, params![ids(ended.iter().map(|(task, _)| *task))]).await?;
    let read = |row: &Cells| Ending::read(row, retentions.get(&row.task_id(0)?).copied().unwrap_or_default());
    let endings: Vec<Ending> = rows.iter().map(read).collect::<Fallible<_>>()?;
    let now = db.now;
    remove(db, &endings, now).await
}

/// Removes tasks of which all that is to be kept was kept.
pub(crate) async fn remove(db: &mut Db<'_>, endings: &[Ending], now: Time) -> Fallible<()> {
    db.execute(&END, params![ids(endings.iter().map(|ending| ending.id))]).await?;
    let mut named: Vec<(&Key, &Ending)> =
        endings.iter().filter_map(|ending| ending.key.as_ref().map(|key| (key, ending))).collect();
    if !named.is_empty() {
        named.sort_unstable_by_key(|(key, _)| *key);
        let row = |(key, ending): (&Key, &Ending)| {
            let keep_until = now.micros().saturating_add(ending.window).min(Time::MAX.micros());
            json!([key.space.code(), hex(&key.name), hex_id(ending.id.uuid()), keep_until])
        };
        db.execute(&KEY_END, params![list(named, row)]).await?;
    }
    let terms = endings.iter().flat_map(|ending| ending.terms.iter().map(|term| (term.clone(), ending.id)));
    search::remove(db, terms.collect()).await
}

/// Whether a payload is kept.
pub(crate) fn whole(retention: Retention) -> u8 {
    u8::from(retention == Retention::History)
}
