//! A database of its own for one run of a peer.

use crate::plain::postgres::{Plain, once, url};
use crate::{Result, plain};

/// Removed when this is dropped.
pub(super) struct Database {
    name: String,
    url: String,
}

impl Database {
    pub(super) fn new() -> Result<Self> {
        let name = format!("peers_{}", std::process::id());
        let db = Plain::open("public")?;
        // What a run before this one left behind, if it was cut short.
        db.batch(&format!("drop database if exists {name} with (force)"))?;
        db.batch(&format!("create database {name}"))?;
        Ok(Self { url: with_name(&url()?, &name)?, name })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // What is left over lies in a private server and harms nobody.
        drop(once(&format!("drop database if exists {} with (force)", self.name)));
    }
}

/// Writes out what lies in the server's memory, so that nobody pays for who ran before.
pub(super) fn settle() -> Result<()> {
    plain::postgres::once("checkpoint")
}

/// The same server with another database.
fn with_name(url: &str, name: &str) -> Result<String> {
    let (address, options) = url.split_once('?').map_or((url, String::new()), |(a, b)| (a, format!("?{b}")));
    let (server, _) = address
        .split_once("://")
        .and_then(|(_, rest)| rest.rfind('/').map(|at| address.split_at(address.len() - rest.len() + at)))
        .ok_or_else(|| format!("`{url}` names no database; write postgres://USER@HOST:PORT/NAME"))?;
    Ok(format!("{server}/{name}{options}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_named_in_the_address_of_its_server() {
        let named = |url| with_name(url, "peers").map_err(|error| error.to_string());
        assert_eq!(named("postgres://a@b:1/c?d=e"), Ok("postgres://a@b:1/peers?d=e".into()));
        assert_eq!(named("postgres://a@b:1/c"), Ok("postgres://a@b:1/peers".into()));
        assert!(named("postgres://a@b:1").is_err());
    }
}
