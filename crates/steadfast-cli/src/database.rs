//! Opening the store that was named.

use crate::config::Global;
use crate::exit::NotThere;
use std::path::Path;
use steadfast::Engine;

/// Opens a store that must be there: looking must not make one by a slip of the pen.
pub(crate) async fn open(global: &Global) -> anyhow::Result<Engine> {
    if let Some(path) = file_of(&global.database)
        && !Path::new(path).exists()
    {
        let text = format!(
            "no database `{path}`; name another with --database, or make it with `steadfast migrate`"
        );
        return Err(NotThere(text).into());
    }
    open_or_make(global).await
}

/// Opens a store, and makes it if it is not there.
pub(crate) async fn open_or_make(global: &Global) -> anyhow::Result<Engine> {
    Ok(steadfast::connect(&global.database).await?.start().await?)
}

/// The file of an embedded database.
pub(crate) fn file_of(url: &str) -> Option<&str> {
    let path = url.strip_prefix("sqlite:")?;
    Some(path.strip_prefix("//").unwrap_or(path))
}
