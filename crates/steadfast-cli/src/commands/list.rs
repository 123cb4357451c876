//! Listing tasks.

use crate::config::Global;
use crate::database;
use crate::exit::{Exit, Usage};
use crate::filter::FilterArgs;
use crate::output::{self, Output};
use crate::task_view;
use serde_json::json;
use steadfast::core::Span;
use steadfast::core::limit::PAGE_MAX;
use steadfast::core::seam::Page;
use steadfast::{Scope, Status, Task, Time};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  steadfast list --status error
  steadfast list --kind 'payout|PARTNER' --limit 10
  steadfast list --history --since 2026-11-01T00:00:00Z --json")]
pub(crate) struct ListArgs {
    #[command(flatten)]
    filter: FilterArgs,
    /// Tasks that ended, instead of living ones
    #[arg(long)]
    history: bool,
    /// How many at most
    #[arg(long, short = 'n', default_value_t = 50)]
    limit: usize,
    /// Go on where the last page ended
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
}

pub(crate) async fn run(global: &Global, output: &mut Output, args: ListArgs) -> anyhow::Result<Exit> {
    if !(1..=PAGE_MAX).contains(&args.limit) {
        return Err(Usage(format!("--limit {} is out of range; use 1 to {PAGE_MAX}", args.limit)).into());
    }
    let after =
        args.after.map(|cursor| cursor.parse().map_err(|fault| Usage(format!("{fault}")))).transpose()?;
    let engine = database::open(global).await?;
    let scope = if args.history { Scope::History } else { Scope::Live };
    let page = engine.find(args.filter.filter(scope), after, args.limit).await?;
    if output.json {
        let tasks: Vec<_> = page.tasks.iter().map(task_view::value).collect();
        output.value(&json!({ "tasks": tasks, "next": page.next.map(|next| next.to_string()) }))?;
        return Ok(Exit::Done);
    }
    table(output, &page, engine.now().await?)?;
    Ok(Exit::Done)
}

fn table(output: &mut Output, page: &Page, now: Time) -> std::io::Result<()> {
    let rows = page.tasks.iter().map(|task| row(task, now)).collect();
    output.table(&["task", "kind", "status", "pri", "when", "runs", "last error"], rows, "no task fits")?;
    if let Some(next) = page.next {
        output.line(format!("more: --after {next}"))?;
    }
    Ok(())
}

fn row(task: &Task, now: Time) -> Vec<String> {
    vec![
        format!("{}@{}", task.id, task.version),
        task.kind.to_string(),
        output::status(task.status),
        task.priority.get().to_string(),
        when(task, now),
        task.attempt.to_string(),
        task.errors.last().map(first_line).unwrap_or_default(),
    ]
}

/// What matters most about time in each status.
fn when(task: &Task, now: Time) -> String {
    match task.status {
        Status::Waiting | Status::Parked if task.due_at > now => {
            format!("in {}", Span(task.due_at.since(now)))
        }
        Status::Ready => format!("for {}", Span(now.since(task.ready_at))),
        Status::Running => format!("for {}", Span(now.since(task.changed_at))),
        _ => format!("{} ago", Span(now.since(task.changed_at))),
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(60).collect()
}
