//! Picking a store by URL. Only this file knows which stores this build has.

use crate::builder::Builder;
use crate::error::{Error, Result};

/// Opens the store that a URL names.
///
/// - `sqlite:tasks.db` or `sqlite:///var/lib/app/tasks.db`: an embedded database in that file, made if it is
///   not there.
/// - `postgres://user:password@host/database`: a schema `steadfast` in a PostgreSQL database, made if it is not there;
///   for a cluster of workers. Parameters are those of libpq, such as `?sslmode=verify-full`.
/// - `mysql://user:password@host/database`: tables `steadfast_*` in a MariaDB or MySQL database, made if they are not
///   there; for a cluster of workers. Parameters are those of `mysql_async`, such as `?require_ssl=true`.
/// - `memory:`: nothing survives the process; for tests.
///
/// # Errors
/// A URL that no store of this build understands, or a database that cannot be opened, each with what to do.
pub async fn connect(url: &str) -> Result<Builder> {
    match url.split_once(':') {
        #[cfg(feature = "sqlite")]
        Some(("sqlite", path)) => sqlite(path.strip_prefix("//").unwrap_or(path)).await,
        #[cfg(feature = "postgres")]
        Some(("postgres" | "postgresql", _)) => {
            let store =
                steadfast_postgres::PgStore::open(url, steadfast_postgres::Options::default()).await?;
            let store = std::sync::Arc::new(store);
            Ok(Builder::on(store.clone(), store))
        }
        #[cfg(feature = "mysql")]
        Some(("mysql", _)) => {
            let store = steadfast_mysql::MySqlStore::open(url, steadfast_mysql::Options::default()).await?;
            let store = std::sync::Arc::new(store);
            Ok(Builder::on(store.clone(), store))
        }
        #[cfg(feature = "memory")]
        Some(("memory", _)) => {
            let store =
                steadfast_memory::MemoryStore::new(std::sync::Arc::new(steadfast_core::seam::SystemClock));
            let store = std::sync::Arc::new(store);
            Ok(Builder::on(store.clone(), store))
        }
        Some((scheme, _)) => {
            Err(unknown(url, format!("no store for `{scheme}:` in this build ({})", stores())))
        }
        None => Err(unknown(url, format!("it has no scheme ({})", stores()))),
    }
}

#[cfg(feature = "sqlite")]
async fn sqlite(path: &str) -> Result<Builder> {
    use steadfast_core::StoreError;
    use steadfast_sqlite::{Options, SqliteStore};
    let path = path.to_owned();
    // Opening migrates and syncs to disk: not on a thread that others wait for.
    let opened = tokio::task::spawn_blocking(move || SqliteStore::open(path, Options::default())).await;
    let store = opened.map_err(|error| Error::Store(StoreError::Bug(error.to_string())))??;
    let store = std::sync::Arc::new(store);
    Ok(Builder::on(store.clone(), store))
}

fn unknown(url: &str, why: String) -> Error {
    // What stands before an @ is a password more often than not.
    let shown = url.rsplit_once('@').map_or(url, |(_, rest)| rest);
    Error::Url { url: shown.to_owned(), why }
}

fn stores() -> String {
    let known = [
        (cfg!(feature = "sqlite"), "sqlite:FILE"),
        (cfg!(feature = "postgres"), "postgres://HOST/DATABASE"),
        (cfg!(feature = "mysql"), "mysql://HOST/DATABASE"),
        (cfg!(feature = "memory"), "memory:"),
    ];
    let known: Vec<_> = known.into_iter().filter_map(|(there, name)| there.then_some(name)).collect();
    format!("known: {}", known.join(", "))
}
