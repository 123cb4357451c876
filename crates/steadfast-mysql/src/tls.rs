//! TLS: whom to trust.

use mysql_async::SslOpts;
use rustls::RootCertStore;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use steadfast_core::Refusal;

/// Trusts those whose certificates are in this file, and nobody else. Without a file it is those that browsers trust.
pub(crate) fn trust(ssl: SslOpts, file: Option<&str>) -> Result<SslOpts, Refusal> {
    // The driver takes the process's own, and panics if there is none and more than one could be meant.
    if CryptoProvider::get_default().is_none() {
        // Somebody else may have been faster, and that is as good.
        let _ = ring::default_provider().install_default();
    }
    let Some(file) = file else { return Ok(ssl) };
    let bytes = read(file).map_err(|why| {
        // A URL that is misspelt may have its password here: what stands before an @ is one more often than not.
        let name = if file.contains('@') { String::new() } else { format!(" `{file}`") };
        Refusal::Config(format!("ssl_ca{name} cannot be used: {why}"))
    })?;
    Ok(ssl.with_root_certs(vec![bytes.into()]).with_disable_built_in_roots(true))
}

/// What is in a file of certificates. The driver would notice only when it connects, and say less.
fn read(file: &str) -> Result<Vec<u8>, String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        let certificate = certificate.map_err(|error| error.to_string())?;
        roots.add(certificate).map_err(|error| error.to_string())?;
    }
    if roots.is_empty() { Err("it holds no certificate in PEM".into()) } else { Ok(bytes) }
}
