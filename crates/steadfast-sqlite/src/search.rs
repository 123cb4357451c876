//! What people look tasks up by, kept beside the tasks for as long as they are kept.

use crate::db::Db;
use crate::fault::Fallible;
use rusqlite::params;
use rusqlite::types::{ToSqlOutput, ValueRef};
use steadfast_core::{Filter, Key, KeySpace, Task, TaskId};

const ADD: &str = include_str!("../sql/search_add.sql");
const REMOVE: &str = include_str!("../sql/search_remove.sql");

/// Something that a task has: what it is, and its value.
pub(crate) type Term<'a> = (u8, ToSqlOutput<'a>);

/// Makes a task to be found.
pub(crate) fn add(db: &Db<'_>, task: &Task) -> Fallible<()> {
    run(db, ADD, task)
}

/// Forgets a task that is gone for good.
pub(crate) fn remove(db: &Db<'_>, task: &Task) -> Fallible<()> {
    run(db, REMOVE, task)
}

/// The rarest thing that a filter names, if it names any.
pub(crate) fn rarest(filter: &Filter) -> Option<Term<'_>> {
    let key = filter.key.as_ref().map(key_term);
    let search1 = filter.search1.as_deref().map(|text| text_term(1, text));
    let search2 = filter.search2.as_deref().map(|text| text_term(2, text));
    let parent = filter.parent.map(parent_term);
    let serial = filter.serial.as_deref().map(|text| text_term(4, text));
    key.or(search1).or(search2).or(parent).or(serial)
}

fn run(db: &Db<'_>, sql: &str, task: &Task) -> Fallible<()> {
    let terms = [
        task.search1.as_deref().map(|text| text_term(1, text)),
        task.search2.as_deref().map(|text| text_term(2, text)),
        task.parent.map(parent_term),
        task.serial.as_deref().map(|text| text_term(4, text)),
        task.key.as_ref().map(key_term),
    ];
    for (what, term) in terms.into_iter().flatten() {
        db.execute(sql, params![what, term, task.id.uuid().into_bytes()])?;
    }
    Ok(())
}

fn text_term(what: u8, text: &str) -> Term<'_> {
    (what, ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())))
}

fn parent_term(parent: TaskId) -> Term<'static> {
    (3, ToSqlOutput::Owned(parent.uuid().as_bytes().to_vec().into()))
}

fn key_term(key: &Key) -> Term<'_> {
    text_term(what_key(key.space), &key.name)
}

/// What a key is looked up as.
pub(crate) fn what_key(space: KeySpace) -> u8 {
    match space {
        KeySpace::Id => 5,
        KeySpace::Key => 6,
    }
}
