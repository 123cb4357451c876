//! What people look tasks up by, kept beside the tasks for as long as they are kept.

use crate::cells::Cells;
use crate::columns::{hex, hex_id, id, list};
use crate::db::Db;
use crate::fault::Fallible;
use crate::sql::{Params, Sql, params};
use serde_json::json;
use steadfast_core::{Filter, Key, KeySpace, Task, TaskId};

const ADD: Sql = Sql(include_str!("../sql/search_add.sql"));
const REMOVE: Sql = Sql(include_str!("../sql/search_remove.sql"));

/// Something that a task has: what it is, and its value.
pub(crate) type Term = (u8, Vec<u8>);

/// What a task can be looked up by.
#[derive(Default)]
pub(crate) struct Terms<'a> {
    pub(crate) key: Option<&'a Key>,
    pub(crate) serial: Option<&'a str>,
    pub(crate) search1: Option<&'a str>,
    pub(crate) search2: Option<&'a str>,
    pub(crate) parent: Option<TaskId>,
}

impl<'a> Terms<'a> {
    pub(crate) fn of_task(task: &'a Task) -> Self {
        Self {
            key: task.key.as_ref(),
            serial: task.serial.as_deref(),
            search1: task.search1.as_deref(),
            search2: task.search2.as_deref(),
            parent: task.parent,
        }
    }

    fn of_filter(filter: &'a Filter) -> Self {
        Self {
            key: filter.key.as_ref(),
            serial: filter.serial.as_deref(),
            search1: filter.search1.as_deref(),
            search2: filter.search2.as_deref(),
            parent: filter.parent,
        }
    }

    /// From the columns key space, key, window, serial, search1, search2, parent.
    pub(crate) fn read(row: &'a Cells, at: usize, key: Option<&'a Key>) -> Fallible<Self> {
        Ok(Self {
            key,
            serial: row.text_or_none(at + 3)?,
            search1: row.text_or_none(at + 4)?,
            search2: row.text_or_none(at + 5)?,
            parent: row.uuid_or_none(at + 6)?.map(TaskId::from_uuid),
        })
    }

    /// The rarest first.
    pub(crate) fn each(&self) -> impl Iterator<Item = Term> {
        let text = |what, text: Option<&str>| text.map(|text| (what, text.as_bytes().to_vec()));
        let key = self.key.map(|key| (what_key(key.space), key.name.clone().into_bytes()));
        let parent = self.parent.map(|parent| (3, parent.uuid().as_bytes().to_vec()));
        [key, text(1, self.search1), text(2, self.search2), parent, text(4, self.serial)]
            .into_iter()
            .flatten()
    }
}

/// Makes tasks to be found.
pub(crate) async fn add(db: &mut Db<'_>, tasks: &[Task]) -> Fallible<()> {
    let mut rows: Vec<(Term, TaskId)> = Vec::new();
    for task in tasks {
        rows.extend(Terms::of_task(task).each().map(|term| (term, task.id)));
    }
    rows.sort_unstable();
    let row = |((what, term), task): (Term, TaskId)| params![what, term, id(task.uuid())];
    let rows: Vec<Params> = rows.into_iter().map(row).collect();
    db.insert(&ADD, &rows, &Params::new()).await?;
    Ok(())
}

/// Forgets tasks that are gone for good.
pub(crate) async fn remove(db: &mut Db<'_>, mut gone: Vec<(Term, TaskId)>) -> Fallible<()> {
    if gone.is_empty() {
        return Ok(());
    }
    gone.sort_unstable();
    let row = |((what, term), task): &(Term, TaskId)| json!([what, hex(term), hex_id(task.uuid())]);
    db.execute(&REMOVE, params![list(&gone, row)]).await?;
    Ok(())
}

/// The rarest thing that a filter names, if it names any.
pub(crate) fn rarest(filter: &Filter) -> Option<Term> {
    Terms::of_filter(filter).each().next()
}

fn what_key(space: KeySpace) -> u8 {
    match space {
        KeySpace::Id => 5,
        KeySpace::Key => 6,
    }
}
