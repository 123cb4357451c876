//! Making the database, or bringing it to this program's schema.

use crate::config::Global;
use crate::database;
use crate::exit::Exit;
use crate::output::Output;
use serde_json::json;

pub(crate) async fn run(global: &Global, output: &mut Output) -> anyhow::Result<Exit> {
    // Opening does it all. The store is not looked at beyond that: a large file would take its time.
    let schema = database::open_or_make(global).await?.schema();
    if output.json {
        output.value(&json!({ "schema": schema }))?;
    } else {
        let text = schema.map_or("no schema".to_owned(), |version| format!("schema version {version}"));
        output.line(format!("ready: {text}"))?;
    }
    Ok(Exit::Done)
}
