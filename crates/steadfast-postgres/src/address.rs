//! Where the server is, and how it is spoken to.

use crate::tls::{self, Trust};
use std::time::Duration;
use steadfast_core::Refusal;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Longest wait for a connection, unless the URL says otherwise.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// How long sent bytes may stay without an answer of the other machine.
const SILENCE_MAX: Duration = Duration::from_secs(20);

/// A server's address with everything that is needed to connect. It holds the password and is never shown.
#[derive(Clone)]
pub(crate) struct Address {
    pub(crate) config: Config,
    pub(crate) tls: MakeRustlsConnect,
}

impl Address {
    /// From a URL or from words like `host=... user=...`.
    pub(crate) fn new(url: &str) -> Result<Self, Refusal> {
        let (plain, mode) = take(url, "sslmode");
        let (plain, certificate) = take(&plain, "sslrootcert");
        let refused = |why: String| {
            // A URL that is misspelt is quoted as a whole: what stands before an @ is a password more often than not.
            let why =
                if why.contains('@') { "write it like postgres://user@host/database".into() } else { why };
            Refusal::Config(format!("the PostgreSQL URL cannot be used: {why}"))
        };
        let mut config: Config = plain.parse().map_err(|error: tokio_postgres::Error| {
            // What the parser found is named, the URL with its password is not.
            refused(std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string))
        })?;
        let (ssl, trust) = match mode.as_deref() {
            Some("disable") => (SslMode::Disable, Trust::Anybody),
            None | Some("prefer" | "allow") => (SslMode::Prefer, Trust::Anybody),
            Some("require") => (SslMode::Require, Trust::Anybody),
            Some("verify-full") => (SslMode::Require, Trust::Named(certificate)),
            Some(other) => {
                let known = "disable, prefer, require, verify-full";
                return Err(refused(format!("unknown sslmode `{other}` (known: {known})")));
            }
        };
        config.ssl_mode(ssl);
        config.application_name(config.get_application_name().unwrap_or("steadfast").to_owned());
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_MAX);
        }
        config.tcp_user_timeout(SILENCE_MAX);
        config.keepalives_idle(SILENCE_MAX);
        Ok(Self { config, tls: tls::connector(trust)? })
    }
}

/// Takes a setting out of a URL or of words: the parser does not know all that libpq knows.
fn take(url: &str, name: &str) -> (String, Option<String>) {
    let is_url = url.starts_with("postgres://") || url.starts_with("postgresql://");
    let (head, tail, separator) = match url.split_once('?') {
        Some((head, tail)) if is_url => (format!("{head}?"), tail, '&'),
        _ if is_url => return (url.to_owned(), None),
        _ => (String::new(), url, ' '),
    };
    let mut found = None;
    let kept: Vec<&str> = tail
        .split(separator)
        .filter(|word| match word.split_once('=') {
            Some((key, value)) if key == name => {
                found = Some(value.trim_matches('\'').replace("%2F", "/"));
                false
            }
            _ => true,
        })
        .collect();
    (head + &kept.join(&separator.to_string()), found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use steadfast_testkit::fuzz::fuzz;

    fn refusal(url: &str) -> String {
        Address::new(url).err().expect("a refusal").to_string()
    }

    #[test]
    fn settings_are_taken_out_wherever_they_stand() {
        for (url, plain, found) in [
            ("postgres://h/d?sslmode=require&a=b", "postgres://h/d?a=b", Some("require")),
            ("postgres://h/d?a=b", "postgres://h/d?a=b", None),
            ("postgres://h/d", "postgres://h/d", None),
            ("host=h sslmode=require user=u", "host=h user=u", Some("require")),
        ] {
            assert_eq!(take(url, "sslmode"), (plain.to_owned(), found.map(str::to_owned)));
        }
    }

    #[test]
    fn a_refusal_names_the_fault_and_not_the_password() {
        let text = refusal("postgres://u:secret@h/d?sslmode=maybe");
        assert!(text.contains("unknown sslmode `maybe` (known: disable"), "{text}");
        assert!(!text.contains("secret"), "{text}");
        let text = refusal("postgres://u:secret@h:port/d");
        assert!(text.contains("cannot be used") && !text.contains("secret"), "{text}");
    }

    #[test]
    fn damaged_urls_are_used_or_refused_without_the_password() {
        let good = [
            "postgres://ada:secret@db.example.org:5432/tasks?sslmode=verify-full&sslrootcert=ca.pem",
            "postgresql:///tasks?host=127.0.0.1&port=5432&connect_timeout=3",
            "host=db user=ada password=secret dbname=tasks sslmode=require",
        ];
        fuzz("addresses of PostgreSQL", &good, |input| {
            let refused =
                Address::new(&String::from_utf8_lossy(input)).err().map(|refusal| refusal.to_string());
            let text = refused.unwrap_or_else(|| "used".into());
            assert!(!text.contains("secret@"), "{text}");
            text
        });
    }
}
