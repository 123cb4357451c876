//! TLS: whom to trust.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::sync::Arc;
use steadfast_core::Refusal;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Whom to trust.
pub(crate) enum Trust {
    /// Whoever answers: `prefer` and `require` keep listeners out and not impostors, as libpq has it.
    Anybody,
    /// Who shows a certificate for the host's name, signed by those in this file or, without one, by those that
    /// the system trusts.
    Named(Option<String>),
}

/// What connections are made with.
pub(crate) fn connector(trust: Trust) -> Result<MakeRustlsConnect, Refusal> {
    let provider = Arc::new(ring::default_provider());
    let no_tls = |error: Error| Refusal::Config(format!("TLS cannot be used: {error}"));
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(no_tls)?;
    let config = match trust {
        Trust::Anybody => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Anybody(provider)))
            .with_no_client_auth(),
        Trust::Named(file) => builder.with_root_certificates(roots(file)?).with_no_client_auth(),
    };
    Ok(MakeRustlsConnect::new(config))
}

fn roots(file: Option<String>) -> Result<RootCertStore, Refusal> {
    let mut roots = RootCertStore::empty();
    match file {
        Some(file) => {
            let unusable = |why: String| {
                // A URL that is misspelt may have its password here: what stands before an @ is one more often than not.
                let name = if file.contains('@') { String::new() } else { format!(" `{file}`") };
                Refusal::Config(format!("sslrootcert{name} cannot be used: {why}"))
            };
            let certificates =
                CertificateDer::pem_file_iter(&file).map_err(|error| unusable(error.to_string()))?;
            for certificate in certificates {
                let certificate = certificate.map_err(|error| unusable(error.to_string()))?;
                roots.add(certificate).map_err(|error| unusable(error.to_string()))?;
            }
        }
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    if roots.is_empty() {
        let text = "sslmode verify-full has nobody to trust; name their certificates with sslrootcert";
        return Err(Refusal::Config(text.into()));
    }
    Ok(roots)
}

/// Checks that the other side has the key of the certificate that it shows, and not whose it is.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
