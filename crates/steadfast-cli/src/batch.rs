//! Doing one thing to one task, or to all that a filter finds.

use crate::ask::confirm;
use crate::exit::{Exit, Usage};
use crate::filter::FilterArgs;
use crate::output::{self, Output};
use crate::progress;
use crate::target::Target;
use serde_json::json;
use std::collections::BTreeMap;
use steadfast::core::limit::PAGE_MAX;
use steadfast::core::seam::Count;
use steadfast::{Act, Acted, Deed, Engine, Filter, Guard, Refusal, Scope, Task, TaskId};

/// Whom an act is for.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct WhomArgs {
    /// The task, as ID@VERSION: the version is the one that you saw. Also key:NAME or id:NAME
    #[arg(value_name = "TASK")]
    target: Option<Target>,
    #[command(flatten)]
    filter: FilterArgs,
    /// Do not ask; for a single task, whatever its version is now
    #[arg(long, short)]
    yes: bool,
}

impl WhomArgs {
    /// Whether a filter was given.
    pub(crate) fn has_filter(&self) -> bool {
        !self.filter.is_empty()
    }
}

/// Does it, to one or to many.
pub(crate) async fn run(
    engine: &Engine,
    output: &mut Output,
    whom: WhomArgs,
    deed: Deed,
) -> anyhow::Result<Exit> {
    match whom.target {
        Some(_) if !whom.filter.is_empty() => Err(Usage("name one task or a filter, not both".into()).into()),
        Some(target) => one(engine, output, &target, deed, whom.yes).await,
        None if whom.filter.is_empty() => {
            Err(Usage("name a task, or say which with a filter such as --status error".into()).into())
        }
        None => many(engine, output, whom.filter.filter(Scope::Live), deed, whom.yes).await,
    }
}

async fn one(
    engine: &Engine,
    output: &mut Output,
    target: &Target,
    deed: Deed,
    yes: bool,
) -> anyhow::Result<Exit> {
    let task = target.find(engine).await?;
    if target.version.is_none() && !confirm_one(&task, &deed, yes)? {
        return Ok(Exit::NotConfirmed);
    }
    let seen = target.version.unwrap_or(task.version);
    let acted = engine.act(task.id, Guard::Version(seen), deed).await?;
    say(output, &task, &acted)?;
    Ok(Exit::Done)
}

fn confirm_one(task: &Task, deed: &Deed, yes: bool) -> anyhow::Result<bool> {
    let Task { id, kind, status, version, .. } = task;
    let question = format!("{} task {id} ({kind}, {status}, version {version})?", deed.name());
    let instead = format!("name the version that you saw ({id}@{version}), or add --yes");
    confirm(&question, &instead, yes)
}

fn say(output: &mut Output, task: &Task, acted: &Acted) -> anyhow::Result<()> {
    if output.json {
        return output.value(&json!({
            "id": task.id.to_string(),
            "status": acted.status.as_str(),
            "version": acted.version.get(),
            "recalled": acted.recalled.is_some(),
        }));
    }
    let recalled = if acted.recalled.is_some() { ", its run is recalled" } else { "" };
    let status = output::status(acted.status);
    Ok(output.line(format!("{}@{} is {status}{recalled}", task.id, acted.version))?)
}

/// What became of many.
#[derive(Default)]
struct Tally {
    done: u64,
    refused: Vec<(TaskId, Refusal)>,
}

async fn many(
    engine: &Engine,
    output: &mut Output,
    filter: Filter,
    deed: Deed,
    yes: bool,
) -> anyhow::Result<Exit> {
    let counts = engine.count(filter.clone()).await?;
    let n: u64 = counts.iter().map(|count| count.n).sum();
    if n == 0 {
        return nothing(output);
    }
    let question = format!("{} {n} tasks ({})?", deed.name(), by_kind(&counts));
    if !confirm(&question, "add --yes", yes)? {
        return Ok(Exit::NotConfirmed);
    }
    let bar = progress::bar(n, deed.name());
    let (mut tally, mut after) = (Tally::default(), None);
    loop {
        let page = engine.find(filter.clone(), after, PAGE_MAX).await?;
        let act = |task: &Task| Act { id: task.id, guard: Guard::Version(task.version), deed: deed.clone() };
        let answers = engine.act_all(page.tasks.iter().map(act).collect()).await?;
        bar.inc(answers.len() as u64);
        tally.take(&page.tasks, answers);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    bar.finish_and_clear();
    sum_up(output, &tally, &deed)
}

fn by_kind(counts: &[Count]) -> String {
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for count in counts {
        *kinds.entry(count.kind.as_str()).or_default() += count.n;
    }
    let kinds: Vec<String> = kinds.iter().map(|(kind, n)| format!("{kind}: {n}")).collect();
    kinds.join(", ")
}

impl Tally {
    fn take(&mut self, tasks: &[Task], answers: Vec<Result<Acted, Refusal>>) {
        for (task, answer) in tasks.iter().zip(answers) {
            match answer {
                Ok(_) => self.done += 1,
                Err(refusal) => self.refused.push((task.id, refusal)),
            }
        }
    }
}

fn nothing(output: &mut Output) -> anyhow::Result<Exit> {
    if output.json {
        output.value(&json!({ "done": 0, "refused": [] }))?;
    } else {
        output.line("no task fits; nothing was done")?;
    }
    Ok(Exit::Done)
}

fn sum_up(output: &mut Output, tally: &Tally, deed: &Deed) -> anyhow::Result<Exit> {
    let exit = if tally.refused.is_empty() { Exit::Done } else { Exit::Refused };
    if output.json {
        let refused: Vec<_> = tally
            .refused
            .iter()
            .map(|(id, refusal)| json!({ "id": id.to_string(), "why": refusal.to_string() }))
            .collect();
        output.value(&json!({ "done": tally.done, "refused": refused }))?;
        return Ok(exit);
    }
    output.line(format!("{}: {} done, {} refused", deed.name(), tally.done, tally.refused.len()))?;
    for (_, refusal) in tally.refused.iter().take(10) {
        output.line(format!("  {refusal}"))?;
    }
    Ok(exit)
}
