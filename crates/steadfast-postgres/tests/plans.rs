//! Every statement that a busy worker sends uses the index that its head names, on a large table that was empty when
//! the statement was prepared, and walks no table.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Schema, connect};
use std::fmt::Write;
use std::path::Path;
use steadfast_postgres::tokio_postgres::Client;

/// Rows of the large table: some of every status that has an index.
const FILL: &str = "
insert into steadfast.task (
    id, bucket, kind, status, priority, due_at, ready_at, base_at, deadline_at, \"grant\", worker, version, attempt,
    failures, lost, serial, created_at, changed_at, format, payload_len, payload
)
select
    gen_random_uuid(), 'bucket ' || n % 3, 'kind ' || n % 50, status, n % 10, n, n, n,
    case status when 5 then n end, 0, case when status in (5, 6) then ('00000000-0000-0000-0000-00000000000' || n % 9)::uuid end,
    0, 0, 0, case n % 1000 when 0 then 2 else 0 end, case status when 2 then 'serial ' || n % 5000 end, n, n, 0, 1, 'x'
from (
    select
        n,
        case when n % 2 = 0 then 4 when n % 3 = 0 then 1 when n % 5 = 0 then 5 when n % 7 = 0 then 2
        when n % 11 = 0 then 6 else 8 end as status
    from generate_series(1, 200000) as n
) as rows;
insert into steadfast.history
select
    seq, id, due_at, ready_at, base_at, created_at, changed_at, \"grant\", version, attempt, failures, lost, payload_len,
    7, priority, format, key_space, key_window, bucket, kind, subkind, step, key, serial, search1, search2, parent,
    context, progress, output, errors, payload
from steadfast.task where seq % 4 = 0;
insert into steadfast.search select 1, 'term ' || seq % 1000, id from steadfast.task;
insert into steadfast.key select 2, 'key ' || seq, id, case seq % 2 when 0 then seq end from steadfast.task;
insert into steadfast.receipt select id, seq, true from steadfast.task;
insert into steadfast.recall select id, id, seq from steadfast.task where seq % 100 = 0;
insert into steadfast.worker
select ('00000000-0000-0000-0000-00000000000' || n)::uuid, 'w', 1, '{}', n, n > 5 from generate_series(0, 8) as n;
";

/// What a session of ours is told; the same as in `connection.rs`.
const SETTINGS: &str = "
set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_hashjoin = off;
set enable_mergejoin = off; set enable_bitmapscan = off; set jit = off;
";

/// Small tables and what is given in the call: to walk these is right.
const MAY_WALK: [&str; 3] = ["worker", "kind", "recall"];

#[tokio::test]
async fn every_statement_uses_the_index_that_its_head_names() {
    let schema = Schema::new();
    drop(schema.open().await);
    let mine = connect().await;
    mine.batch_execute(SETTINGS).await.unwrap();
    let statements = read(&schema);
    assert!(statements.len() > 40, "the statements were found");
    for (name, sql) in &statements {
        mine.batch_execute(&format!("prepare {name} as {sql}"))
            .await
            .unwrap_or_else(|error| panic!("{name}: {error:?}"));
    }
    // Each is run once while the tables are empty, so that its plan is made and kept.
    for (name, sql) in &statements {
        plan(&mine, name, sql).await;
    }
    mine.batch_execute(&fill(&schema)).await.unwrap();
    let mut faults = String::new();
    for (name, sql) in &statements {
        check(name, sql, &plan(&mine, name, sql).await, &mut faults);
    }
    assert!(faults.is_empty(), "{faults}");
}

/// Numbers that the server has gathered must not talk it into another index than the one that serves any mixture.
#[tokio::test]
async fn a_grab_that_was_planned_for_one_kind_serves_many() {
    let schema = Schema::new();
    drop(schema.open().await);
    let mine = connect().await;
    mine.batch_execute(SETTINGS).await.unwrap();
    let one_kind = fill(&schema)
        .replace("'bucket ' || n % 3, 'kind ' || n % 50", "'bucket', 'kind'")
        .replace("n % 10", "5");
    mine.batch_execute(&one_kind).await.unwrap();
    mine.batch_execute(&format!("vacuum analyze {}.task", schema.name)).await.unwrap();
    for grab in ["p_grab", "p_grab_alike"] {
        let plan = plan_anew(&mine, &schema, grab).await;
        assert!(plan.contains("task_kind") && !plan.contains("task_ready"), "{plan}");
    }
}

/// A way down an index to a few rows looks cheap, and is dear for those that come later: the plan is kept.
#[tokio::test]
async fn an_end_that_was_planned_for_few_goes_by_their_places() {
    let schema = Schema::new();
    drop(schema.open().await);
    let mine = connect().await;
    mine.batch_execute(SETTINGS).await.unwrap();
    mine.batch_execute(&fill(&schema).replace("200000", "20")).await.unwrap();
    mine.batch_execute(&format!("vacuum analyze {}.task", schema.name)).await.unwrap();
    for end in ["p_done", "p_done_bare"] {
        let plan = plan_anew(&mine, &schema, end).await;
        assert!(plan.contains("Tid Scan on task"), "{plan}");
    }
}

fn fill(schema: &Schema) -> String {
    FILL.replace("steadfast.", &format!("{}.", schema.name))
}

/// The statements by name, as this schema's.
fn read(schema: &Schema) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql");
    let mut statements = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "sql") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let sql = std::fs::read_to_string(&path).unwrap();
            statements.push((format!("p_{name}"), sql.replace("steadfast.", &format!("{}.", schema.name))));
        }
    }
    statements.sort();
    statements
}

/// That of the statement of this name, made with what the tables hold now.
async fn plan_anew(mine: &Client, schema: &Schema, wanted: &str) -> String {
    let (name, sql) = read(schema).into_iter().find(|(name, _)| name == wanted).unwrap();
    mine.batch_execute(&format!("prepare {name} as {sql}")).await.unwrap();
    plan(mine, &name, &sql).await
}

async fn plan(mine: &Client, name: &str, sql: &str) -> String {
    let n = (1..=30).rev().find(|n| sql.contains(&format!("${n}"))).unwrap_or(0);
    let nulls = vec!["null"; n].join(", ");
    let given = if n == 0 { String::new() } else { format!("({nulls})") };
    let rows = mine.query(&format!("explain (costs off) execute {name}{given}"), &[]).await;
    let rows = rows.unwrap_or_else(|error| panic!("{name}: {error:?}"));
    rows.iter().map(|row| row.get::<_, String>(0) + "\n").collect()
}

fn check(name: &str, sql: &str, plan: &str, faults: &mut String) {
    let heads = ["-- ", "-- no row: ", "-- index: ", "-- locks: "];
    let mut lines = sql.lines();
    let head = heads.map(|head| {
        let line = lines.next().unwrap_or_default();
        line.strip_prefix(head).unwrap_or_else(|| panic!("{name}: `{line}` should start with `{head}`"))
    });
    assert!(sql.lines().all(|line| line.len() <= 120), "{name} has a long line");
    if head[2].starts_with("none") {
        return;
    }
    for wanted in head[2].split(", ") {
        let used = match wanted {
            // An insert names no index in its plan.
            "primary key" => plan.contains("_pkey") || plan.contains("Insert on"),
            names => names.split(" or ").any(|name| plan.contains(name)) || plan.contains("Insert on"),
        };
        if !used {
            writeln!(faults, "{name} should use {wanted}:\n{plan}").unwrap();
        }
    }
    for line in plan.lines() {
        let walked = line.split("Seq Scan on ").nth(1).and_then(|rest| rest.split_whitespace().next());
        if walked.is_some_and(|table| !MAY_WALK.contains(&table)) || line.contains("Hash Join") {
            writeln!(faults, "{name} walks a table:\n{plan}").unwrap();
        }
    }
    // A whole index is no range of it: each step into the tasks must have a condition, or the order of the index. What
    // comes out of a limit is few, and may be sorted.
    let sorted = plan.split_once("Sort").and_then(|(_, below)| below.split_once("task_ready"));
    if sorted.is_some_and(|(between, _)| !between.contains("Limit")) {
        writeln!(faults, "{name} sorts what its index has in order:\n{plan}").unwrap();
    }
}
