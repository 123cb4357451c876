//! Where the server is, and how it is spoken to.

use crate::tls;
use mysql_async::{Opts, OptsBuilder, UrlError};
use std::time::Duration;
use steadfast_core::Refusal;

/// The one word of a URL that is ours: a file with the certificates of those who are trusted.
const CERTIFICATES: &str = "ssl_ca";

/// After so long without a word the other machine is asked whether it is there.
const SILENCE: Duration = Duration::from_secs(20);
/// Statements that a connection remembers: all of ours, those for many rows once for each size.
const STATEMENTS_MAX: usize = 160;

/// From a URL, with what all our connections have.
pub(crate) fn address(url: &str) -> Result<Opts, Refusal> {
    // What the parser found is named, the URL with its password is not.
    let refused = |error: UrlError| {
        // A part of it that is misspelt is quoted: what stands before an @ is a password more often than not.
        let why = Some(error.to_string()).filter(|why| !why.contains('@'));
        let why = why.unwrap_or_else(|| "write it like mysql://user@host/database".into());
        Refusal::Config(format!("the MySQL URL cannot be used: {why}"))
    };
    let (plain, file) = take(url, CERTIFICATES);
    let opts = Opts::from_url(&plain).map_err(refused)?;
    if opts.db_name().is_none() {
        let text = "the MySQL URL names no database; write it like mysql://user@host/database";
        return Err(Refusal::Config(text.into()));
    }
    let ssl = match opts.ssl_opts().cloned() {
        Some(ssl) => Some(tls::trust(ssl, file.as_deref())?),
        None if file.is_some() => {
            let text = "the MySQL URL names ssl_ca but asks for no TLS; add require_ssl=true";
            return Err(Refusal::Config(text.into()));
        }
        None => None,
    };
    Ok(OptsBuilder::from_opts(opts)
        .ssl_opts(ssl)
        // What the URL names is where we go, also if it is a proxy on this machine.
        .prefer_socket(false)
        .client_found_rows(true)
        .stmt_cache_size(STATEMENTS_MAX)
        .tcp_keepalive(Some(SILENCE))
        .connect_attribute("program_name", "steadfast")
        .into())
}

/// Takes a setting out of a URL.
fn take(url: &str, name: &str) -> (String, Option<String>) {
    let Some((head, tail)) = url.split_once('?') else { return (url.to_owned(), None) };
    let is_it = |word: &&str| word.split_once('=').is_some_and(|(key, _)| key == name);
    let (taken, kept): (Vec<&str>, Vec<&str>) = tail.split('&').partition(is_it);
    let value =
        taken.last().and_then(|word| word.split_once('=')).map(|(_, value)| value.replace("%2F", "/"));
    let url = if kept.is_empty() { head.to_owned() } else { format!("{head}?{}", kept.join("&")) };
    (url, value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use steadfast_testkit::fuzz::fuzz;

    #[test]
    fn a_refusal_names_the_fault_and_not_the_password() {
        for (url, expected) in [
            ("mysql://u:secret@h", "names no database"),
            ("mysql://u:secret@h:port/d", "cannot be used"),
            ("mysql://u:secret@h/d?sslmode=require", "sslmode"),
            ("postgres://u:secret@h/d", "postgres"),
            ("mysql://u:secret@h/d?ssl_ca=/a", "add require_ssl=true"),
            ("mysql://u:secret@h/d?require_ssl=true&ssl_ca=%2Fno%2Fsuch", "ssl_ca `/no/such` cannot be used"),
            ("mysql://u:secret@h/d?require_ssl=true&ssl_ca=Cargo.toml", "holds no certificate"),
            ("mysql://h/d?require_ssl=true&ssl_ca=u:secret@h", "ssl_ca cannot be used"),
        ] {
            let text = address(url).unwrap_err().to_string();
            assert!(text.contains(expected), "{text}");
            assert!(!text.contains("secret"), "{text}");
        }
    }

    #[test]
    fn damaged_urls_are_used_or_refused_without_the_password() {
        let good = [
            "mysql://ada:secret@db.example.org:3306/tasks?require_ssl=true&verify_ca=false",
            "mysql://127.0.0.1/tasks?pool_min=2&pool_max=9&conn_ttl=60&stmt_cache_size=8",
        ];
        fuzz("addresses of MySQL", &good, |input| {
            let refused = address(&String::from_utf8_lossy(input)).err().map(|refusal| refusal.to_string());
            let text = refused.unwrap_or_else(|| "used".into());
            assert!(!text.contains("secret@"), "{text}");
            text
        });
    }
}
