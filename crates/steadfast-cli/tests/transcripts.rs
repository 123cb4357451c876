//! What each command says, right and wrong use, with its exit code. `INSTA_UPDATE=always cargo test` writes the
//! transcripts anew.

// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod transcript;

use std::time::Duration;
use steadfast::{
    Compress, Compression, Engine, Handler, New, Outcome, Policy, Retry, Run, Status, TaskId, When,
};
use transcript::Transcript;

/// Compares with what was seen before.
macro_rules! check {
    ($transcript:expr) => {
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!($transcript.text());
        });
    };
}

/// A worker in this process, on the transcript's database.
async fn worker(transcript: &Transcript) -> Engine {
    let mut patient = Policy::default();
    patient.retry = Retry::list([Duration::from_secs(3600); 4]);
    let mut strict = Policy::default();
    strict.retry = Retry::none();
    let mut owned = Policy::default();
    owned.owner = Some("payments".into());
    owned.criticality = Some("high".into());
    let endless = |run: Run| async move { run.cancelled().await };
    let failing = |_: Run| async { Err::<(), _>("the partner is away") };
    let park = |_: Run| async { Outcome::Later { until: When::After(Duration::from_secs(3600)) } };
    steadfast::connect(&transcript.url())
        .await
        .unwrap()
        .configure(|config| {
            config.name = "alpha".into();
            config.grace = Duration::ZERO;
        })
        .register(Handler::of("mail", |_: Run| async {}))
        .register(Handler::of("payout", endless).limit(2).policy(owned))
        .register(Handler::of("flaky", failing).policy(patient))
        .register(Handler::of("doomed", failing).policy(strict))
        .register(Handler::of("callback", park))
        .start()
        .await
        .unwrap()
}

/// Adds a task and waits until it has the status.
async fn added(engine: &Engine, new: New, wanted: Status) -> TaskId {
    let id = engine.add(new).await.unwrap().id;
    let reached = async {
        while engine.get(id).await.unwrap().unwrap().status != wanted {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), reached).await.expect("the status is reached");
    id
}

#[test]
fn help() {
    let mut transcript = Transcript::new();
    transcript.run(&["--help"]).run(&["again", "--help"]).run(&["--version"]).run(&[]);
    check!(transcript);
}

#[test]
fn completions() {
    let transcript = Transcript::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (text, code) = transcript.output(&["completions", shell]);
        assert_eq!(code, 0, "{shell}");
        assert!(text.contains("reschedule"), "{shell}");
    }
}

#[test]
fn adding() {
    let mut transcript = Transcript::new();
    transcript
        .run(&["add", "mail", r#"{"to": "ada", "cents": 10000000000000000000001}"#])
        .run(&["show", "{1}"])
        .run(&["add", "payout", "plain text", "--id", "payout-17", "--priority", "0", "--after", "2h"])
        .run(&["add", "payout", "plain text", "--id", "payout-17"])
        .run(&["add", "report", "--at", "2999-12-24T18:00:00Z", "--key", "december", "--json"])
        .feed(&["add", "bulk", "--lines", "-"], "{\"n\": 1}\n{\"n\": 2}\nthree\n")
        .feed(&["add", "upload", "-"], "from standard input")
        .run(&["list", "--kind", "bulk"])
        .run(&["add", ""])
        .run(&["add", "mail", "--priority", "12"])
        .run(&["add", "mail", "--after", "soon"])
        .run(&["add", "mail", "--after", "1h", "--at", "2999-12-24T18:00:00Z"])
        .run(&["add", "mail", "--id", "a", "--key", "b"])
        .run(&["add", "mail", "--context", "trace"])
        .run(&["add", "bulk", "--lines", "missing.jsonl"]);
    check!(transcript);
}

#[test]
fn listing() {
    let mut transcript = Transcript::new();
    transcript
        .run(&["migrate"])
        .run(&["list"])
        .run(&["add", "mail", "--search1", "order-7"])
        .run(&["add", "payout", "--after", "2d"])
        .run(&["list"])
        .run(&["list", "--search1", "order-7"])
        .run(&["list", "--limit", "1"])
        .run(&["list", "--status", "waiting", "--json"])
        .run(&["list", "--history"])
        .run(&["list", "--status", "gone"])
        .run(&["list", "--limit", "0"])
        .run(&["list", "--after", "nonsense"])
        .run(&["list", "--worker", "nobody"]);
    check!(transcript);
}

#[test]
fn acting_on_one_task() {
    let mut transcript = Transcript::new();
    transcript
        .run(&["add", "mail", "--after", "2h", "--id", "hello"])
        .run(&["pause", "{1}@0"])
        .run(&["pause", "{1}@0"])
        .run(&["release", "{1}@1"])
        .run(&["reschedule", "{1}@2", "--after", "0s"])
        .run(&["prioritise", "{1}@3", "--to", "1", "--json"])
        .run(&["ack", "{1}@4"])
        .run(&["cancel", "id:hello"])
        .run(&["cancel", "id:hello", "--yes"])
        .run(&["show", "id:hello"])
        .run(&["again", "{1}@5", "--after", "1h"])
        .run(&["reschedule", "{1}@6"])
        .run(&["cancel", "{1}@6", "--kind", "mail"])
        .run(&["cancel", "01932b5c-7e57-7000-8000-000000000001@1"])
        .run(&["cancel", "id:nobody"])
        .run(&["cancel", "nonsense"])
        .run(&["show", "01932b5c-7e57-7000-8000-000000000001", "--json"]);
    check!(transcript);
}

#[test]
fn acting_on_many_tasks() {
    let mut transcript = Transcript::new();
    transcript
        .feed(&["add", "mail", "--lines", "-", "--after", "1h"], "1\n2\n3\n")
        .feed(&["add", "payout", "--lines", "-", "--after", "1h"], "1\n2\n")
        .run(&["pause", "--status", "waiting"])
        .run(&["pause", "--status", "waiting", "--kind", "mail", "--yes"])
        .run(&["release", "--status", "waiting", "--yes"])
        .run(&["release", "--status", "paused", "--yes", "--json"])
        .run(&["cancel", "--kind", "fax", "--yes"])
        .run(&["cancel", "--yes"])
        .run(&["cancel", "--kind", "mail", "--yes"])
        .run(&["list", "--history", "--kind", "mail", "--status", "cancelled"])
        .run(&["clean", "--older", "0s"])
        .run(&["clean", "--older", "0s", "--yes"])
        .run(&["clean", "--older", "yesterday"]);
    check!(transcript);
}

#[tokio::test]
async fn watching_a_worker() {
    let mut transcript = Transcript::new();
    let engine = worker(&transcript).await;
    let done = added(&engine, New::kind("mail", "hello"), Status::Done).await;
    added(&engine, New::kind("payout", ""), Status::Running).await;
    added(&engine, New::kind("payout|PARTNER", ""), Status::Running).await;
    let full = added(&engine, New::kind("payout", ""), Status::Ready).await;
    let retried = added(&engine, New::kind("flaky", ""), Status::Waiting).await;
    let failed = added(&engine, New::kind("doomed", "").serial("account 7"), Status::Error).await;
    let behind = added(&engine, New::kind("doomed", "").serial("account 7"), Status::Held).await;
    let parked = added(&engine, New::kind("callback", ""), Status::Parked).await;
    let orphan = added(&engine, New::kind("fax", ""), Status::Ready).await;
    transcript.run(&["workers"]).run(&["workers", "--json"]).run(&["kinds"]).run(&["check"]);
    for id in [done, full, retried, failed, behind, parked, orphan] {
        transcript.run(&["show", &id.to_string()]);
    }
    transcript.run(&["pause", "--whole-bucket", "default"]).run(&["show", &orphan.to_string()]);
    transcript.run(&["check", "--json"]).run(&["release", "--whole-bucket", "default", "--json"]);
    transcript.run(&["pause", "--whole-bucket", "default", "--kind", "mail"]);
    transcript.run(&["again", "--status", "error", "--kind", "doomed", "--after", "1h", "--yes"]);
    let _ = engine.drain().await;
    transcript.run(&["workers"]);
    check!(transcript);
}

#[test]
fn databases_that_are_not_there_or_not_ours() {
    let mut transcript = Transcript::new();
    transcript
        .run(&["list"])
        .run(&["list", "--json"])
        .run(&["list", "--database", "sqlite:elsewhere.db"])
        .run(&["list", "--database", "redis://localhost"])
        .run(&["list", "--database", "steadfast.db"]);
    transcript
        .write("text.db", "this is not a database, whatever its name says, and it is long enough to tell");
    transcript.run(&["list", "--database", "sqlite:text.db"]);
    transcript.run(&["migrate"]).run(&["migrate", "--json"]);
    let file = rusqlite::Connection::open(transcript.path("steadfast.db")).unwrap();
    file.execute("update steadfast_schema set version = 99", []).unwrap();
    drop(file);
    transcript.run(&["list"]).run(&["migrate", "--json"]).run(&["check"]);
    check!(transcript);
}

#[test]
fn settings_from_a_file_and_the_environment() {
    let mut transcript = Transcript::new();
    transcript.write("steadfast.toml", "database = \"sqlite:from-file.db\"\n");
    transcript.run(&["migrate"]);
    assert!(transcript.path("from-file.db").exists());
    transcript.env("STEADFAST_DATABASE", "sqlite:from-env.db").run(&["migrate"]);
    assert!(transcript.path("from-env.db").exists());
    transcript.run(&["migrate", "--database", "sqlite:from-flag.db"]);
    assert!(transcript.path("from-flag.db").exists());
    transcript.write("broken.toml", "database = sqlite:from-file.db\n");
    transcript.write("odd.toml", "databse = \"sqlite:from-file.db\"\n");
    transcript.run(&["list", "--config", "broken.toml"]).run(&["list", "--config", "odd.toml"]).run(&[
        "list",
        "--config",
        "missing.toml",
    ]);
    check!(transcript);
}

#[test]
fn colours_are_for_terminals() {
    let transcript = Transcript::new();
    transcript.output(&["add", "mail"]);
    transcript.output(&["pause", "--kind", "mail", "--yes"]);
    assert!(!transcript.output(&["list"]).0.contains('\u{1b}'));
    assert!(transcript.output(&["list", "--color", "always"]).0.contains('\u{1b}'));
    assert!(!transcript.output(&["list", "--color", "never"]).0.contains('\u{1b}'));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let transcript = Transcript::new();
    transcript.output(&["add", "mail"]);
    for args in [["list", "--json"], ["completions", "bash"], ["kinds", "--json"]] {
        let (said, code) = transcript.to_closed_pipe(&args);
        assert_eq!((said.as_str(), code), ("", 0), "{args:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn packed_payloads_are_added_by_their_kinds_rule_and_shown_as_they_were() {
    let transcript = Transcript::new();
    let mut policy = Policy::default();
    policy.compression = Compress::with(Compression::Zstd);
    let handler = Handler::of("import", |_: Run| async {}).policy(policy);
    let worker =
        steadfast::connect(&transcript.url()).await.unwrap().register(handler).start().await.unwrap();
    let rows = "row ".repeat(1000);
    let payload = serde_json::json!({ "rows": rows }).to_string();
    let json = |args: &[&str]| -> serde_json::Value {
        let (said, code) = transcript.output(args);
        assert_eq!(code, 0, "{said}");
        serde_json::from_str(&said).unwrap()
    };
    let added = json(&["add", "import", &payload, "--payload-version", "3", "--after", "1h", "--json"]);
    let shown = json(&["show", added["id"].as_str().unwrap(), "--json"]);
    assert_eq!(shown["payload"]["json"]["rows"], rows);
    assert_eq!(shown["payload_version"], 3);
    assert!(shown["payload_bytes"].as_u64().unwrap() < 200, "{shown}");
    let _ = worker.drain().await.unwrap();
}
