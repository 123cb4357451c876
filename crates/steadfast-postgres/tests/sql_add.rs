//! Damaged arguments for `add` in SQL: each call adds a task or is refused for what it was told, and nothing else goes wrong.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod common;

use common::{Schema, connect};
use steadfast_testkit::fuzz::fuzz;

/// Classes of errors that blame the caller: a value that is no value, a limit that was passed.
const REFUSALS: [&str; 3] = ["22", "23", "54"];

#[test]
fn damaged_arguments_of_add_are_taken_or_refused() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let schema = Schema::new();
    let client = runtime.block_on(async {
        drop(schema.open().await);
        connect().await
    });
    let add = format!(
        "select {}.add($1::text, $2::text::jsonb, key => $3::text, delay => $4::text::interval, bucket => $5::text, \
         serial => $6::text, search1 => $7::text)",
        schema.name
    );
    let good = [
        "mail.welcome|{\"to\": \"ada\"}|welcome 7|1 hour|west|one|ada",
        "pay|[1, 2, {}]|k|90 s|east|two|'; drop",
    ];
    fuzz("arguments of the SQL function add", &good, |input| {
        let text = String::from_utf8_lossy(input);
        let mut words: Vec<Option<&str>> = text.split('|').take(7).map(Some).collect();
        words.resize(7, None);
        let words: Vec<&(dyn steadfast_postgres::tokio_postgres::types::ToSql + Sync)> =
            words.iter().map(|word| word as _).collect();
        match runtime.block_on(client.execute(&add, &words)) {
            Ok(_) => "added".into(),
            Err(error) => {
                let error = error.as_db_error().expect("the server's own word");
                let code = error.code().code();
                assert!(REFUSALS.iter().any(|class| code.starts_with(class)), "{code}: {error}");
                error.message().to_owned()
            }
        }
    });
}
