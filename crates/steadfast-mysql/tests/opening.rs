//! Opening a store: migrations, servers that cannot be used, settings.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Tables, batch, connect, refusal, run, task, url};
use steadfast_core::seam::Add;
use steadfast_core::{Level, NewTask, Payload, Store, StoreError};
use steadfast_mysql::mysql_async::prelude::Queryable;
use steadfast_mysql::{MySqlStore, Options};

#[tokio::test]
async fn opening_twice_is_harmless_and_keeps_what_is_there() {
    let tables = Tables::new();
    tables.open().await.add(batch(3)).await.unwrap();
    let store = tables.open().await;
    assert_eq!(common::grab(&store, common::worker(1), 9).await.unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_that_start_at_once_make_the_tables_once() {
    let tables = Tables::new();
    let opening: Vec<_> = (0..6)
        .map(|_| {
            let options = tables.options();
            tokio::spawn(async move { MySqlStore::open(&url(), options).await })
        })
        .collect();
    for opened in opening {
        opened.await.unwrap().unwrap().add(batch(1)).await.unwrap();
    }
}

#[tokio::test]
async fn a_step_that_broke_off_half_way_is_run_again() {
    let tables = Tables::new();
    drop(tables.open().await);
    run(&format!("drop table {0}receipt; delete from {0}schema", tables.prefix)).await;
    tables.open().await.add(batch(1)).await.unwrap();
}

#[tokio::test]
async fn tables_of_a_later_build_are_refused_and_left_alone() {
    let tables = Tables::new();
    drop(tables.open().await);
    run(&format!("insert into {}schema values (99)", tables.prefix)).await;
    let text = refusal(MySqlStore::open(&url(), tables.options()).await);
    let expected = format!("a later steadfast made the tables `{}*` (version 99, known", tables.prefix);
    assert!(text.contains(&expected), "{text}");
    assert!(text.contains("upgrade this program"), "{text}");
}

#[tokio::test]
async fn two_prefixes_of_one_database_do_not_meet() {
    let (one, other) = (Tables::new(), Tables::new());
    let (here, there) = (one.open().await, other.open().await);
    here.add(batch(2)).await.unwrap();
    assert!(common::grab(&there, common::worker(1), 9).await.unwrap().is_empty());
    assert_eq!(common::grab(&here, common::worker(1), 9).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_prefix_that_needs_quotes_is_refused() {
    let mut options = Options::default();
    options.prefix = "My Tasks".into();
    let text = refusal(MySqlStore::open(&url(), options).await);
    assert!(text.contains("prefix `My Tasks` cannot be used"), "{text}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_down() {
    let nowhere = "mysql://nobody:secret@127.0.0.1:1/steadfast";
    match MySqlStore::open(nowhere, Options::default()).await {
        Err(StoreError::Down(text)) => assert!(!text.contains("secret"), "{text}"),
        other => panic!("should be down: {other:?}"),
    }
}

#[tokio::test]
async fn a_database_that_is_not_there_is_refused() {
    let (server, _) = url().rsplit_once('/').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let text = refusal(MySqlStore::open(&format!("{server}/no_such_database"), Options::default()).await);
    assert!(text.contains("refused the login") && text.contains("no_such_database"), "{text}");
}

#[tokio::test]
async fn a_server_that_keeps_its_promises_is_well() {
    let tables = Tables::new();
    let findings = tables.open().await.check().await.unwrap();
    assert!(findings.iter().any(|finding| finding.about == "schema"), "{findings:?}");
    assert!(findings.iter().all(|finding| finding.level == Level::Good), "{findings:?}");
}

/// Whether the store's sessions are encrypted, on a URL with other settings.
async fn is_encrypted(url: &str, settings: &str) -> Result<bool, StoreError> {
    let tables = Tables::new();
    let store = MySqlStore::open(&format!("{url}?{settings}"), tables.options()).await?;
    store.add(batch(1)).await?;
    let mut tx = store.begin().await?;
    let cipher: Option<(String, String)> =
        tx.conn().query_first("show status like 'ssl_cipher'").await.unwrap();
    tx.rollback().await?;
    Ok(cipher.is_some_and(|(_, cipher)| !cipher.is_empty()))
}

#[tokio::test]
async fn tls_is_used_as_the_url_says() {
    if std::env::var("STEADFAST_MYSQL_CERTIFICATE").is_err() {
        eprintln!("not our own server: whether it has TLS is not known");
        return;
    }
    for (settings, encrypted) in
        [("require_ssl=false", false), ("require_ssl=true&verify_ca=false&verify_identity=false", true)]
    {
        assert_eq!(is_encrypted(&url(), settings).await.unwrap(), encrypted, "{settings}");
    }
}

#[tokio::test]
async fn tls_trusts_the_named_host_and_nobody_else() {
    let Ok(certificate) = std::env::var("STEADFAST_MYSQL_CERTIFICATE") else {
        eprintln!("not our own server: its certificate is not known");
        return;
    };
    let named = url().replace("127.0.0.1", "localhost");
    let signed = format!("require_ssl=true&ssl_ca={certificate}");
    for (url, settings, why) in [
        (&named, "require_ssl=true", "nobody whom browsers trust signed it"),
        // It is made out to localhost, and the URL names an address.
        (&url(), signed.as_str(), "it is another host's"),
    ] {
        let text = refusal(is_encrypted(url, settings).await);
        assert!(text.contains("the server's certificate is not trusted"), "{why}: {text}");
    }
    assert!(is_encrypted(&named, &signed).await.unwrap());
}

#[tokio::test]
async fn a_payload_that_the_server_would_not_take_is_refused() {
    let tables = Tables::new();
    let store = tables.open().await;
    let packet: usize = connect().await.query_first("select @@max_allowed_packet").await.unwrap().unwrap();
    let large = NewTask { payload: Payload::bytes(vec![0xff; packet]), ..task() };
    let text = refusal(store.add(Add { tasks: vec![large], ..Add::default() }).await);
    assert!(text.contains("payload"), "{text}");
}

#[tokio::test]
async fn a_payload_of_any_bytes_just_under_the_limit_comes_back() {
    let tables = Tables::new();
    let store = tables.open().await;
    let packet: usize = connect().await.query_first("select @@max_allowed_packet").await.unwrap().unwrap();
    let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(packet - 128 * 1024).collect();
    let large = NewTask { payload: Payload::bytes(bytes.clone()), ..task() };
    let id = large.id;
    store.add(Add { tasks: vec![large], ..Add::default() }).await.unwrap();
    let task = store.get(id).await.unwrap().unwrap();
    assert!(task.payload.unwrap().bytes[..] == bytes[..]);
}
