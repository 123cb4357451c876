//! What a witness wrote down, as a history that the checker of the simulator can judge.

use crate::client;
use crate::trial::crew::Crew;
use crate::trial::witness::Witness;
use std::collections::BTreeMap;
use std::fmt::Write;
use steadfast::Status;
use steadfast_testkit::checker::{History, check};

const ROWS: &str = "
    select task, status, version, granted, attempt, kind, coalesce(worker, '')
    from trial_row
    order by seq";

/// Keeps every state of every row from now on.
pub(crate) async fn keep(witness: &Witness) {
    witness.client().await.run(client::ROWS).await;
}

/// What was not allowed of what I1 to I10 say; empty is good.
pub(crate) async fn wrong(witness: &Witness, crew: &Crew) -> Vec<String> {
    let mut client = witness.client().await;
    let mut text = String::from("0 effects pays\n");
    rows(&mut text, client.rows(ROWS).await);
    for row in client.rows("select task from trial_effect").await {
        let _ = writeln!(text, "0 effect {}", row[0]);
    }
    // What nobody was told of, for its worker had stopped, was tried all the same.
    let added = client.rows("select distinct task from trial_row").await.len();
    for call in 0..added {
        let _ = writeln!(text, "0 try {call}");
    }
    for (call, task) in crew.acknowledged().iter().enumerate() {
        let _ = writeln!(text, "0 told {call} {task}");
    }
    tokens(&mut text, crew);
    let history: History = text.parse().expect("a history");
    let numbers: Vec<String> = (1..=10).map(|number| format!("I{number}:")).collect();
    let ours = |wrong: &String| numbers.iter().any(|number| wrong.starts_with(number));
    check(&history).into_iter().filter(ours).collect()
}

/// Each state, with the grants and the ends that can be told from it.
fn rows(text: &mut String, rows: Vec<Vec<String>>) {
    let mut before: BTreeMap<String, (String, String)> = BTreeMap::new();
    for (at, row) in rows.into_iter().enumerate() {
        let [task, status, version, grant, attempt, kind, worker] = row.try_into().expect("all columns");
        let status = Status::from_code(status.parse().expect("a number")).expect("a status");
        let (held, holder) = before.get(&task).cloned().unwrap_or_default();
        if status == Status::Running && held != grant {
            let _ = writeln!(text, "{at} grant {task} {grant} {worker} {at}");
        }
        if status.is_final() {
            let _ = writeln!(text, "{at} finish {task} {grant} {holder} {status}");
        }
        let _ = write!(
            text,
            "{at} row {task} {status} version={version} grant={grant} attempt={attempt} kind={kind}"
        );
        let _ = if worker.is_empty() { writeln!(text) } else { writeln!(text, " worker={worker}") };
        before.insert(task, (grant, worker));
    }
}

/// A system outside that takes no token that is older than one it has seen.
fn tokens(text: &mut String, crew: &Crew) {
    let mut newest: BTreeMap<String, i64> = BTreeMap::new();
    for line in crew.journal().lines() {
        let ["RUN", _, _, task, grant, _] = line.split(' ').collect::<Vec<_>>()[..] else { continue };
        let grant: i64 = grant.parse().expect("a number");
        let seen = newest.entry(task.replace('-', "")).or_insert(grant);
        let word = if grant >= *seen { "taken" } else { "refused" };
        *seen = grant.max(*seen);
        let _ = writeln!(text, "0 token {} {grant} {word}", task.replace('-', ""));
    }
}
