//! Opening a store: migrations, servers that cannot be used, poolers, TLS.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Schema, batch, connect, refusal, url};
use steadfast_core::{Finding, Level, Store, StoreError};
use steadfast_postgres::{Options, PgStore};

/// The tests' URL with other settings.
fn with(settings: &str) -> String {
    format!("{}?{settings}", url().split('?').next().unwrap())
}

#[tokio::test]
async fn opening_twice_is_harmless_and_keeps_what_is_there() {
    let schema = Schema::new();
    schema.open().await.add(batch(3)).await.unwrap();
    let store = schema.open().await;
    assert_eq!(common::grab(&store, common::worker(1), 9).await.unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_that_start_at_once_make_the_schema_once() {
    let schema = Schema::new();
    let opening: Vec<_> = (0..6)
        .map(|_| {
            let options = schema.options();
            tokio::spawn(async move { PgStore::open(&url(), options).await })
        })
        .collect();
    for opened in opening {
        opened.await.unwrap().unwrap().add(batch(1)).await.unwrap();
    }
}

#[tokio::test]
async fn a_schema_of_a_later_build_is_refused_and_left_alone() {
    let schema = Schema::new();
    drop(schema.open().await);
    let mine = connect().await;
    mine.batch_execute(&format!("update {}.schema set version = 99", schema.name)).await.unwrap();
    let text = refusal(PgStore::open(&url(), schema.options()).await);
    assert!(
        text.contains(&format!("a later steadfast wrote the schema `{}` (version 99, known 2)", schema.name))
    );
    assert!(text.contains("upgrade this program"), "{text}");
    let version = mine.query_one(&format!("select version from {}.schema", schema.name), &[]).await.unwrap();
    assert_eq!(version.get::<_, i32>(0), 99);
}

#[tokio::test]
async fn two_schemas_of_one_database_do_not_meet() {
    let (one, other) = (Schema::new(), Schema::new());
    let (here, there) = (one.open().await, other.open().await);
    here.add(batch(2)).await.unwrap();
    assert!(common::grab(&there, common::worker(1), 9).await.unwrap().is_empty());
    assert_eq!(common::grab(&here, common::worker(1), 9).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_schema_that_needs_quotes_is_refused() {
    for (name, expected) in
        [("My Tasks", "cannot be used"), ("user", "is a word of SQL; choose another name")]
    {
        let mut options = Options::default();
        options.schema = name.into();
        let text = refusal(PgStore::open(&url(), options).await);
        assert!(text.contains(expected), "{text}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_down() {
    let nowhere = "postgres://nobody:secret@127.0.0.1:1/postgres";
    match PgStore::open(nowhere, Options::default()).await {
        Err(StoreError::Down(text)) => assert!(!text.contains("secret"), "{text}"),
        other => panic!("should be down: {other:?}"),
    }
}

#[tokio::test]
async fn a_database_that_is_not_there_is_refused() {
    let elsewhere = url().replace("/postgres?", "/no_such_database?");
    let text = refusal(PgStore::open(&elsewhere, Options::default()).await);
    assert!(text.contains("refused the login") && text.contains("no_such_database"), "{text}");
}

/// What a check does not like.
async fn disliked(store: &PgStore) -> Vec<Finding> {
    let findings = store.check().await.unwrap();
    assert!(findings.iter().any(|finding| finding.about == "schema"), "{findings:?}");
    findings.into_iter().filter(|finding| finding.level > Level::Good).collect()
}

#[tokio::test]
async fn a_server_that_keeps_its_promises_is_well() {
    assert_eq!(disliked(&Schema::new().open().await).await, []);
}

#[tokio::test]
async fn a_session_that_does_not_wait_for_the_disk_is_found() {
    let schema = Schema::new();
    let lazy = with("sslmode=disable&options=-c%20synchronous_commit%3Doff");
    let store = PgStore::open(&lazy, schema.options()).await.unwrap();
    let advice = "is off: a crash of the server may lose what was committed last; turn it on";
    assert_eq!(disliked(&store).await, [Finding::bad("synchronous_commit", advice)]);
}

/// Whether the store's sessions are encrypted.
async fn is_encrypted(settings: &str) -> Result<bool, StoreError> {
    let schema = Schema::new();
    let name = format!("tls_{}", schema.name);
    let store =
        PgStore::open(&with(&format!("{settings}&application_name={name}")), schema.options()).await?;
    store.add(batch(1)).await?;
    let mine = connect().await;
    let sql =
        "select bool_and(ssl) from pg_stat_ssl join pg_stat_activity using (pid) where application_name = $1";
    Ok(mine.query_one(sql, &[&name]).await.unwrap().get(0))
}

#[tokio::test]
async fn tls_is_used_as_the_url_says() {
    if std::env::var("STEADFAST_POSTGRES_CERTIFICATE").is_err() {
        eprintln!("not our own server: whether it has TLS is not known");
        return;
    }
    for (settings, encrypted) in
        [("sslmode=disable", false), ("sslmode=prefer", true), ("sslmode=require", true)]
    {
        assert_eq!(is_encrypted(settings).await.unwrap(), encrypted, "{settings}");
    }
}

#[tokio::test]
async fn verify_full_trusts_the_named_host_and_nobody_else() {
    let Ok(certificate) = std::env::var("STEADFAST_POSTGRES_CERTIFICATE") else {
        eprintln!("not our own server: its certificate is not known");
        return;
    };
    let unknown = is_encrypted("sslmode=verify-full").await;
    assert!(unknown.is_err(), "nobody signed it");
    // It is made out to localhost, and the URL names an address.
    let misnamed = is_encrypted(&format!("sslmode=verify-full&sslrootcert={certificate}")).await;
    assert!(misnamed.is_err(), "it is another host's");
    let named = url().replace("127.0.0.1", "localhost").replace("sslmode=disable", "sslmode=verify-full");
    let schema = Schema::new();
    PgStore::open(&format!("{named}&sslrootcert={certificate}"), schema.options()).await.unwrap();
}

#[tokio::test]
async fn a_pooler_in_transaction_mode_is_noticed() {
    let Ok(pooler) = std::env::var("STEADFAST_PGBOUNCER") else {
        eprintln!("no pooler was started");
        return;
    };
    let schema = Schema::new();
    let mut options = schema.options();
    options.pooled = None;
    let store = PgStore::open(&pooler, options.clone()).await.unwrap();
    // A prepared statement would be gone with its session.
    for _ in 0..20 {
        store.add(batch(1)).await.unwrap();
        store.buckets().await.unwrap();
    }
    assert!(store.is_pooled());
    assert!(!PgStore::open(&url(), options).await.unwrap().is_pooled());
}
