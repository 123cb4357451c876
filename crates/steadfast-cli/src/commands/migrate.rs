//! Making the database, or bringing it to this program's schema.

use crate::config::Global;
use crate::database;
use crate::exit::Exit;
use crate::output::Output;
use serde_json::json;

pub(crate) async fn run(global: &Global, output: &mut Output) -> anyhow::Result<Exit> {
    let engine = database::open_or_make(global).await?;
    let findings = engine.check().await?;
    let schema = findings.iter().find(|finding| finding.about == "schema").map(|finding| &finding.text);
    if output.json {
        output.value(&json!({ "schema": schema }))?;
    } else {
        output.line(format!("ready: schema {}", schema.map_or("is up to date", String::as_str)))?;
    }
    Ok(Exit::Done)
}
