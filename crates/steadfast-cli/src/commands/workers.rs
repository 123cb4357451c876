//! Who works here.

use crate::config::Global;
use crate::database;
use crate::exit::Exit;
use crate::output::Output;
use serde_json::json;
use steadfast::core::Span;
use steadfast::core::seam::WorkerRow;
use steadfast::{Filter, Status, Time};

pub(crate) async fn run(global: &Global, output: &mut Output) -> anyhow::Result<Exit> {
    let engine = database::open(global).await?;
    let (now, workers) = (engine.now().await?, engine.workers().await?);
    let mut rows = Vec::new();
    for worker in workers {
        let held = Filter { status: Some(Status::Running), worker: Some(worker.worker), ..Filter::default() };
        let running: u64 = engine.count(held).await?.iter().map(|count| count.n).sum();
        rows.push((worker, running));
    }
    if output.json {
        let values: Vec<_> = rows
            .iter()
            .map(|(row, running)| {
                json!({
                    "id": row.worker.to_string(),
                    "name": row.name,
                    "build": row.build,
                    "state": state(row, now),
                    "lease_until": row.lease_until.to_string(),
                    "running": running,
                    "offer": row.offer,
                })
            })
            .collect();
        output.value(&json!({ "workers": values }))?;
        return Ok(Exit::Done);
    }
    let rows = rows.iter().map(|(row, running)| line(row, *running, now)).collect();
    output.table(
        &["name", "state", "lease", "running", "kinds", "build", "id"],
        rows,
        "no worker has ever registered, or all were cleaned",
    )?;
    Ok(Exit::Done)
}

fn line(row: &WorkerRow, running: u64, now: Time) -> Vec<String> {
    let lease = if row.lease_until >= now {
        format!("{} left", Span(row.lease_until.since(now)))
    } else {
        format!("ended {} ago", Span(now.since(row.lease_until)))
    };
    let kinds: Vec<String> = row
        .offer
        .kinds
        .iter()
        .map(|offered| {
            offered.limit.map_or(offered.kind.clone(), |limit| format!("{} (max {limit})", offered.kind))
        })
        .collect();
    vec![
        row.name.clone(),
        state(row, now).into(),
        lease,
        format!("{running} of {}", row.offer.slots),
        kinds.join(", "),
        row.build.to_string(),
        row.worker.to_string(),
    ]
}

fn state(row: &WorkerRow, now: Time) -> &'static str {
    match (row.dead, row.is_alive(now)) {
        (true, _) => "gone",
        (false, true) => "alive",
        (false, false) => "silent",
    }
}
