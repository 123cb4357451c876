//! Removing ended tasks from the history.

use crate::ask::confirm;
use crate::config::Global;
use crate::database;
use crate::exit::Exit;
use crate::output::Output;
use crate::{progress, times};
use serde_json::json;
use std::time::Duration;

/// Rows that go in one transaction.
const BATCH: usize = 500;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  steadfast clean --older 30d
  steadfast clean --older 0s --yes      the whole history")]
pub(crate) struct CleanArgs {
    /// Tasks that ended longer ago than this
    #[arg(long, value_name = "DURATION", value_parser = times::duration, default_value = "30d")]
    older: Duration,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

pub(crate) async fn run(global: &Global, output: &mut Output, args: CleanArgs) -> anyhow::Result<Exit> {
    let engine = database::open(global).await?;
    let older = steadfast::core::Span(args.older);
    if !confirm(&format!("remove tasks that ended more than {older} ago?"), "add --yes", args.yes)? {
        return Ok(Exit::NotConfirmed);
    }
    let bar = progress::counter("removed");
    let mut removed = 0;
    loop {
        let cleaned = engine.clean(args.older, BATCH).await?;
        removed += cleaned.history;
        bar.set_position(removed as u64);
        if cleaned.history.max(cleaned.keys).max(cleaned.receipts) < BATCH {
            break;
        }
    }
    bar.finish_and_clear();
    if output.json {
        output.value(&json!({ "removed": removed }))?;
    } else {
        output.line(format!("{removed} tasks removed from the history"))?;
    }
    Ok(Exit::Done)
}
