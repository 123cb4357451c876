//! Kinds of tasks: how many, in which status, who handles them.

use crate::config::Global;
use crate::database;
use crate::exit::Exit;
use crate::output::Output;
use serde_json::json;
use std::collections::BTreeMap;
use steadfast::core::seam::{KindRow, WorkerRow};
use steadfast::{Filter, Kind, Policy, Status, Time};

/// The statuses that have a column of their own.
const SHOWN: [Status; 7] = [
    Status::Waiting,
    Status::Held,
    Status::Paused,
    Status::Ready,
    Status::Running,
    Status::Parked,
    Status::Error,
];

/// What is known of a kind.
#[derive(Default)]
struct Known {
    counts: BTreeMap<Status, u64>,
    declared: Option<KindRow>,
}

pub(crate) async fn run(global: &Global, output: &mut Output) -> anyhow::Result<Exit> {
    let engine = database::open(global).await?;
    let (now, workers) = (engine.now().await?, engine.workers().await?);
    let mut kinds: BTreeMap<Kind, Known> = BTreeMap::new();
    for row in engine.kinds().await? {
        let known = kinds.entry(row.kind.clone()).or_default();
        known.declared = Some(row);
    }
    for count in engine.count(Filter::default()).await? {
        kinds.entry(count.kind).or_default().counts.insert(count.status, count.n);
    }
    if output.json {
        let values: Vec<_> = kinds
            .iter()
            .map(|(kind, known)| {
                let counts: BTreeMap<_, _> =
                    known.counts.iter().map(|(status, n)| (status.as_str(), n)).collect();
                json!({
                    "kind": kind.as_str(),
                    "counts": counts,
                    "workers": able(&workers, kind, now),
                    "policy": known.declared.as_ref().map(|row| &row.policy),
                })
            })
            .collect();
        output.value(&json!({ "kinds": values }))?;
        return Ok(Exit::Done);
    }
    let head: Vec<&str> = ["kind"]
        .into_iter()
        .chain(SHOWN.map(Status::as_str))
        .chain(["workers", "bucket", "owner", "criticality"])
        .collect();
    let rows = kinds.iter().map(|(kind, known)| line(kind, known, able(&workers, kind, now))).collect();
    output.table(&head, rows, "no kind is known yet")?;
    Ok(Exit::Done)
}

fn line(kind: &Kind, known: &Known, workers: usize) -> Vec<String> {
    let count = |status: Status| known.counts.get(&status).map_or(String::from("-"), u64::to_string);
    let policy = known.declared.as_ref().map(|row| &row.policy);
    let bucket = policy.map_or_else(String::new, |policy| policy.bucket.to_string());
    let label = |of: fn(&Policy) -> Option<&String>| policy.and_then(of).cloned().unwrap_or_default();
    let labels = [label(|policy| policy.owner.as_ref()), label(|policy| policy.criticality.as_ref())];
    let workers = if workers == 0 { "none".to_owned() } else { workers.to_string() };
    [kind.to_string()].into_iter().chain(SHOWN.map(count)).chain([workers, bucket]).chain(labels).collect()
}

/// How many live workers would run a kind. A declared prefix stands for itself.
fn able(workers: &[WorkerRow], kind: &Kind, now: Time) -> usize {
    workers.iter().filter(|row| row.is_alive(now) && row.offer.find(kind).is_some()).count()
}
