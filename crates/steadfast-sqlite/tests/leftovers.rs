//! A batch of neighbours that ends without a trace leaves no row in any table.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{batch, block_on, done, file, grab, open, worker};
use rusqlite::Connection;
use steadfast_core::seam::{Add, Finished, Save};
use steadfast_core::{NewTask, Payload, Retention, Store};
use steadfast_sqlite::rusqlite;

const LARGE: usize = 100_000;

/// Ends twenty tasks at once, of which one is something else, and one got a large payload while it ran.
fn check(odd: impl FnOnce(&mut NewTask)) {
    let (_folder, path) = file();
    let store = open(&path);
    let Add { mut tasks, .. } = batch(20);
    odd(&mut tasks[7]);
    block_on(async {
        store.add(Add { tasks, ..Add::default() }).await.unwrap();
        let runs = grab(&store, worker(1), 20).await.unwrap();
        let save = Save {
            fence: runs[12].fence().unwrap(),
            step: None,
            payload: Some(Payload::bytes(vec![7; LARGE])),
            progress: None,
            deadline: None,
            progressed: false,
        };
        store.save(vec![save]).await.unwrap();
        let ends = runs.iter().map(|run| done(run, Retention::Delete)).collect();
        let finished = store.finish(ends).await.unwrap();
        assert!(finished.len() == 20 && !finished.contains(&Finished::Lost), "{finished:?}");
    });
    let db = Connection::open(&path).unwrap();
    for table in ["task", "payload", "history", "search"] {
        let sql = format!("select count(*) from steadfast_{table}");
        let left: i64 = db.query_row(&sql, [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0, "{table}");
    }
}

#[test]
fn neighbours_that_end_together_leave_no_row_in_any_table() {
    check(|_| {});
    check(|task| task.search1 = Some("customer 1".into()));
    check(|task| task.payload = Payload::bytes(vec![7; LARGE]));
    check(|task| task.step = Some("first".into()));
}
