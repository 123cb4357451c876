//! One file a command.

pub(crate) mod act;
pub(crate) mod add;
pub(crate) mod check;
pub(crate) mod clean;
pub(crate) mod completions;
pub(crate) mod kinds;
pub(crate) mod list;
pub(crate) mod migrate;
pub(crate) mod show;
pub(crate) mod workers;
