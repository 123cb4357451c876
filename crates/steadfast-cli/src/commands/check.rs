//! Is this store healthy and safe?

use crate::config::Global;
use crate::database;
use crate::exit::Exit;
use crate::output::{self, Output};
use serde_json::json;
use steadfast::Level;

pub(crate) async fn run(global: &Global, output: &mut Output) -> anyhow::Result<Exit> {
    let findings = database::open(global).await?.check().await?;
    let bad = findings.iter().any(|finding| finding.level == Level::Bad);
    if output.json {
        output.value(&json!({ "healthy": !bad, "findings": findings }))?;
    } else {
        for finding in &findings {
            // Padded by hand: a colour has letters that nobody sees.
            let pad = " ".repeat(8usize.saturating_sub(format!("{:?}", finding.level).len()));
            output.line(format!(
                "{}{pad}{:<9}{}",
                output::level(finding.level),
                finding.about,
                finding.text
            ))?;
        }
    }
    Ok(if bad { Exit::Unhealthy } else { Exit::Done })
}
