//! What a task costs a MariaDB server, counted: statements, rows read, rows written.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Tables, connect};
use std::sync::Arc;
use steadfast_mysql::MySqlStore;
use steadfast_mysql::mysql_async::Conn;
use steadfast_mysql::mysql_async::prelude::Queryable;
use steadfast_testkit::cost::{self, Bounds, Count, Figures, Load};

const FIGURES: Figures = ["statements", "rows read", "rows written"];
const BOUNDS: [(Load, Bounds<3>); 4] = [
    (Load::Lone, Bounds([10.5, 7.5, 3.16])),
    (Load::Crowd, Bounds([0.256, 5.35, 2.13])),
    (Load::Backlog, Bounds([0.232, 12.0, 2.11])),
    (Load::Kept, Bounds([0.253, 14.1, 3.16])),
];

#[tokio::test]
async fn a_task_costs_no_more_than_its_bounds() {
    let (mut mine, mut tables) = (connect().await, Vec::new());
    let open = async || {
        let own = Tables::new();
        let store = own.open().await;
        tables.push(own);
        Arc::new(store)
    };
    let count = async |_: &MySqlStore| {
        Count([
            counted(&mut mine, "^questions$").await,
            counted(&mut mine, "^handler_read").await,
            counted(&mut mine, "^handler_(write|update|delete)$").await,
        ])
    };
    cost::hold("mysql", FIGURES, &BOUNDS, open, count).await;
}

/// The sum of the server's counters whose names are like this.
async fn counted(mine: &mut Conn, names: &str) -> u64 {
    let show = format!("show global status where variable_name regexp '{names}'");
    let rows: Vec<(String, u64)> = mine.query(show).await.unwrap();
    rows.iter().map(|(_, n)| n).sum()
}
