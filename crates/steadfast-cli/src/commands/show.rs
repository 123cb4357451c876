//! Showing one task, and saying why it is not running.

use crate::config::Global;
use crate::database;
use crate::exit::Exit;
use crate::output::{self, Output, bold};
use crate::target::Target;
use crate::task_view;
use serde_json::{Value, json};
use steadfast::{Status, Task, Why};

/// Payloads are cut here unless all of it is wanted, in characters.
const PAYLOAD_SHOWN: usize = 2000;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  steadfast show 01932b5c-7e57-7000-8000-000000000001
  steadfast show id:payout-17
  steadfast show key:order-7 --json")]
pub(crate) struct ShowArgs {
    /// The task: ID, key:NAME or id:NAME
    task: Target,
    /// All of the payload, however long
    #[arg(long)]
    whole: bool,
}

pub(crate) async fn run(global: &Global, output: &mut Output, args: ShowArgs) -> anyhow::Result<Exit> {
    let engine = database::open(global).await?;
    let task = args.task.find(&engine).await?;
    let why = engine.why(task.id).await?;
    if output.json {
        output.value(&value(&task, why.as_ref()))?;
        return Ok(Exit::Done);
    }
    for (name, text) in fields(&task) {
        output.line(format!("{name:>10}  {text}"))?;
    }
    for failure in task.errors.all() {
        output.line(format!("{:>10}  attempt {}: {}", "error", failure.attempt, failure.text))?;
    }
    if let Some(payload) = &task.payload {
        let text = task_view::payload_text(payload);
        let cut = if args.whole { usize::MAX } else { PAYLOAD_SHOWN };
        let more = if text.chars().count() > cut { " ... (--whole shows all)" } else { "" };
        let text: String = text.chars().take(cut).collect();
        output.line(format!("{:>10}  {text}{more}", "payload"))?;
    }
    if let Some(why) = why {
        output.line(format!("{:>10}  {}", "why", bold(why)))?;
    }
    for hint in hints(&task) {
        output.line(format!("{:>10}  {hint}", "do"))?;
    }
    Ok(Exit::Done)
}

fn value(task: &Task, why: Option<&Why>) -> Value {
    let mut value = task_view::value(task);
    value["payload"] = task.payload.as_ref().map_or(Value::Null, task_view::payload);
    value["why"] = why.map_or(Value::Null, |why| json!({ "text": why.to_string(), "facts": why }));
    value
}

fn fields(task: &Task) -> Vec<(&'static str, String)> {
    let mut fields = vec![
        ("task", bold(format!("{}@{}", task.id, task.version))),
        ("kind", task.kind.to_string()),
        ("status", output::status(task.status)),
        ("bucket", task.bucket.to_string()),
        ("priority", task.priority.get().to_string()),
        ("added", task.created_at.to_string()),
        ("changed", task.changed_at.to_string()),
        ("due", task.due_at.to_string()),
        ("runs", format!("{} ({} failures since progress, {} lost)", task.attempt, task.failures, task.lost)),
    ];
    let key = task.key.as_ref().map(|key| key.name.clone());
    let more = [
        ("subkind", task.subkind.clone()),
        ("step", task.step.clone()),
        ("key", key),
        ("serial", task.serial.clone()),
        ("search1", task.search1.clone()),
        ("search2", task.search2.clone()),
        ("parent", task.parent.map(|parent| parent.to_string())),
        ("worker", task.worker.map(|worker| worker.to_string())),
        ("deadline", task.deadline_at.map(|time| time.to_string())),
        ("progress", task.progress.clone()),
        ("output", task.output.clone()),
    ];
    fields.extend(more.into_iter().filter_map(|(name, text)| Some((name, text?))));
    fields.extend(task.context.iter().map(|(name, value)| ("context", format!("{name}={value}"))));
    fields
}

/// What an operator may do about it, ready to be copied.
fn hints(task: &Task) -> Vec<String> {
    let verbs: &[&str] = match task.status {
        Status::Error => &["again", "ack"],
        Status::Paused => &["release", "cancel"],
        Status::Waiting | Status::Ready | Status::Running => &["pause", "cancel"],
        _ => &[],
    };
    verbs.iter().map(|verb| format!("steadfast {verb} {}@{}", task.id, task.version)).collect()
}
