//! Who works here.

use crate::config::Global;
use crate::database;
use crate::exit::Exit;
use crate::output::Output;
use serde_json::json;
use std::collections::BTreeMap;
use steadfast::core::seam::WorkerRow;
use steadfast::core::{Span, WorkerId};
use steadfast::{Filter, Limit, Status, Time};

pub(crate) async fn run(global: &Global, output: &mut Output) -> anyhow::Result<Exit> {
    let engine = database::open(global).await?;
    let (now, workers) = (engine.now().await?, engine.workers().await?);
    let running = Filter { status: Some(Status::Running), ..Filter::default() };
    let mut held: BTreeMap<WorkerId, u64> = BTreeMap::new();
    // No bound of ours: as many run as the workers have slots.
    for worker in engine.find_all(running, usize::MAX).await?.iter().filter_map(|task| task.worker) {
        *held.entry(worker).or_default() += 1;
    }
    let rows = workers.iter().map(|row| (row, held.get(&row.worker).copied().unwrap_or(0)));
    if output.json {
        let values: Vec<_> = rows
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
    let rows = rows.map(|(row, running)| line(row, running, now)).collect();
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
            let limits: Vec<String> = offered.limits.iter().map(Limit::to_string).collect();
            if limits.is_empty() {
                offered.kind.clone()
            } else {
                format!("{} ({})", offered.kind, limits.join(", "))
            }
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
