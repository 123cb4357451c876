//! Every statement that touches the tasks uses the index that its head names, and walks no table by accident.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{file, open};
use rusqlite::Connection;
use std::path::Path;
use steadfast_sqlite::rusqlite;

#[test]
fn every_statement_uses_the_index_that_its_head_names() {
    let (_folder, path) = file();
    drop(open(&path));
    let db = Connection::open(&path).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql");
    let mut checked = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap().path();
        if entry.extension().is_some_and(|extension| extension == "sql") {
            let sql = std::fs::read_to_string(&entry).unwrap();
            check(&db, &entry.file_name().unwrap().to_string_lossy(), &sql);
            checked += 1;
        }
    }
    assert!(checked > 50, "the statements were found");
}

fn check(db: &Connection, name: &str, sql: &str) {
    let heads = ["-- ", "-- no row: ", "-- index: ", "-- locks: "];
    let mut lines = sql.lines();
    let head = heads.map(|head| {
        let line = lines.next().unwrap_or_default();
        line.strip_prefix(head).unwrap_or_else(|| panic!("{name}: `{line}` should start with `{head}`"))
    });
    assert!(sql.lines().all(|line| line.len() <= 120), "{name} has a long line");
    let plan = plan(db, name, sql);
    let reads_tasks =
        sql.contains("from steadfast_task") || sql.contains("update") && sql.contains("steadfast_task\n");
    if !reads_tasks || head[2].starts_with("none") {
        return;
    }
    let wanted = match head[2] {
        "rowid" => "USING INTEGER PRIMARY KEY",
        "primary key" => "USING PRIMARY KEY",
        other => other.split(", ").last().unwrap_or(other),
    };
    assert!(plan.contains(wanted), "{name} should use {wanted}:\n{plan}");
    let walks = plan.lines().any(|line| line.starts_with("SCAN steadfast_task") && !line.contains(wanted));
    assert!(!walks, "{name} walks the table:\n{plan}");
    let sorts = plan.contains("TEMP B-TREE FOR ORDER BY");
    assert!(!sorts || sql.contains("sort is cheap"), "{name} sorts:\n{plan}");
}

fn plan(db: &Connection, name: &str, sql: &str) -> String {
    let mut statement =
        db.prepare(&format!("explain query plan {sql}")).unwrap_or_else(|error| panic!("{name}: {error}"));
    let nulls = vec![None::<i64>; statement.parameter_count()];
    let details =
        statement.query_map(rusqlite::params_from_iter(nulls), |row| row.get::<_, String>(3)).unwrap();
    details.collect::<Result<Vec<_>, _>>().unwrap().join("\n")
}
