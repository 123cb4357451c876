//! A statement: its text, its name, the types of its parameters.

use tokio_postgres::types::{ToSql, Type};

/// One statement of `sql/`. The types are given with it, so that a pooler needs no second message to ask for them.
pub(crate) struct Sql {
    /// Its file's name, by which connections remember it.
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
    pub(crate) types: &'static [Type],
}

/// What a statement is given.
pub(crate) type Params<'a> = &'a [&'a (dyn ToSql + Sync)];
