//! Plans: what is asked all the time reads ends of indexes, and what locks rows reads no others, however few they are.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Tables, batch, connect, run, tasks};
use steadfast_core::seam::Add;
use steadfast_core::{Kind, Store, Time, When};
use steadfast_mysql::mysql_async::prelude::Queryable;
use steadfast_mysql::mysql_async::{Conn, Row, Value};

/// A statement of the store's, with what it is given and the indexes that it may use, in order.
struct Plan {
    text: &'static str,
    given: Vec<Value>,
    keys: &'static str,
}

macro_rules! plan {
    ($name:literal, [$($given:expr),*], $keys:literal) => {
        Plan { text: include_str!(concat!("../sql/", $name, ".sql")), given: vec![$($given.into()),*], keys: $keys }
    };
}

const ID: &str = "0190163d869475b9af9ac0e25c54d89a";

fn plans() -> Vec<Plan> {
    let (id, fence) = (format!(r#"["{ID}"]"#), format!(r#"[["{ID}", 1, "{ID}"]]"#));
    vec![
        plan!("grab", ["default", "mail", 5, 0, "default", 10], "task_kind"),
        plan!("grab_take", [format!(r#"[["{ID}", 1]]"#), ID[..16], 0, Value::NULL], "PRIMARY"),
        plan!("look", ["default", 10], "task_ready"),
        plan!("look_kind", ["default", "mail", 10], "task_kind"),
        plan!("look_next_kind", ["default", "mail"], "task_kind"),
        plan!("look_next_bucket", [""], "task_ready"),
        plan!("due", [0, 10], "task_moves"),
        plan!("due_next", [0], "task_moves"),
        plan!("fenced", [fence.as_str()], "PRIMARY"),
        plan!("fenced_whole", [fence.as_str()], "PRIMARY PRIMARY"),
        plan!("end", [id.as_str()], "PRIMARY"),
        plan!("end_keep", [fence.as_str()], "PRIMARY"),
        plan!("done_keep", [fence.as_str(), 0, 0], "PRIMARY"),
        plan!("again", [id.as_str()], "PRIMARY"),
        plan!("history_remove", [id.as_str()], "PRIMARY"),
        plan!("ended_lock", [id.as_str()], "PRIMARY"),
        plan!("live_lock", [id.as_str()], "PRIMARY"),
        plan!("write", [fence.as_str()], "PRIMARY"),
        plan!("save", [fence.as_str(), 0], "PRIMARY"),
        plan!("due_move", [id.as_str(), 0], "PRIMARY"),
        plan!("serial_move", [id.as_str(), 0, 0, 0], "PRIMARY"),
        plan!("key_get", [fence.as_str()], "PRIMARY"),
        plan!("key_end", [fence.as_str()], "PRIMARY"),
        plan!("key_windows", [id.as_str()], "PRIMARY"),
        plan!("search_remove", [fence.as_str()], "PRIMARY"),
        plan!("recall_handled", [fence.as_str(), ID[..16]], "PRIMARY"),
        plan!("workers_mark", [id.as_str(), 0], "PRIMARY"),
        plan!("limit_lock", [id.as_str()], "PRIMARY"),
        plan!("serial_first", [r#"["61"]"#], "PRIMARY task_head task_held"),
        plan!("serial_next", [""], "task_held"),
        plan!("limit_count", ["a", "b", 10], "task_counted"),
        plan!("held", [ID[..16]], "task_worker"),
        plan!("strays_held", [ID[..16], 0, 10], "task_worker"),
        plan!("strays_parked", [0, 10], "task_moves"),
        plan!("renew_read", [0, ID[..16]], "PRIMARY task_worker"),
        // The few workers are all read.
        plan!("holders", [0], "task_moves walk task_worker"),
        plan!(
            "probe",
            [0, 0, 10, id.as_str()],
            "walk task_moves PRIMARY task_worker task_held task_seq task_ready PRIMARY"
        ),
    ]
}

/// The indexes that a plan names, in its order; a walk over a table of ours shows as `walk`.
async fn keys(conn: &mut Conn, text: &str, given: Vec<Value>) -> String {
    let rows: Vec<Row> = conn.exec(format!("explain {text}"), given).await.unwrap();
    let mut keys = Vec::new();
    for row in rows {
        let table: Option<String> = row.get("table").unwrap();
        let key: Option<String> = row.get("key").unwrap();
        let ours = table.is_some_and(|table| table != "given" && !table.starts_with('<'));
        keys.extend(key.or_else(|| ours.then(|| "walk".to_owned())));
    }
    keys.join(" ")
}

/// The plans that are not as they should be.
async fn wrong(conn: &mut Conn, tables: &Tables) -> Vec<String> {
    let mut wrong = Vec::new();
    for Plan { text, given, keys: expected } in plans() {
        let head = text.lines().next().unwrap();
        let text: String = text.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join("\n");
        let seen = keys(conn, &text.replace("steadfast_", &tables.prefix), given).await;
        if seen != expected {
            wrong.push(format!("{head} reads {seen}, not {expected}"));
        }
    }
    wrong
}

/// A planner walks small tables, and whoever walks waits for every lock that somebody holds there.
#[tokio::test]
async fn tables_with_a_few_rows_are_not_walked() {
    let tables = Tables::new();
    let (store, mut mine) = (tables.open().await, connect().await);
    store.add(batch(3)).await.unwrap();
    assert_eq!(wrong(&mut mine, &tables).await, [""; 0]);
}

#[tokio::test]
async fn what_is_asked_all_the_time_reads_indexes_that_fit() {
    let tables = Tables::new();
    let (store, mut mine) = (tables.open().await, connect().await);
    let mut some = tasks(3000);
    for (n, task) in some.iter_mut().enumerate() {
        match n % 3 {
            0 => task.when = When::At(Time::MAX),
            1 => task.kind = Kind::new(format!("other {}", n % 50)).unwrap(),
            _ => {}
        }
    }
    for lot in some.chunks(500) {
        store.add(Add { tasks: lot.to_vec(), ..Add::default() }).await.unwrap();
    }
    run(&format!("analyze table {}task", tables.prefix)).await;
    assert_eq!(wrong(&mut mine, &tables).await, [""; 0]);
}
