//! TLS, set up with the first address that asks for it: reading the certificates of a machine takes milliseconds.

use super::HttpError;
use super::post::Origin;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::sync::OnceCell;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

#[derive(Default)]
pub struct Lazy(OnceCell<TlsConnector>);

impl Lazy {
    pub fn is_set_up(&self) -> bool {
        self.0.initialized()
    }

    pub async fn wrap(&self, origin: &Origin, stream: TcpStream) -> Result<TlsStream<TcpStream>, HttpError> {
        let refused = |reason: String| HttpError::Tls { address: origin.authority(), reason };
        let connector = self.0.get_or_try_init(set_up).await?;
        let name = ServerName::try_from(origin.host.clone()).map_err(|error| refused(error.to_string()))?;
        connector.connect(name, stream).await.map_err(|error| refused(error.to_string()))
    }
}

async fn set_up() -> Result<TlsConnector, HttpError> {
    let loaded = tokio::task::spawn_blocking(load).await;
    loaded.map_err(|error| HttpError::NoAuthorities(error.to_string()))?
}

fn load() -> Result<TlsConnector, HttpError> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    // Machines hold certificates that no standard allows; those that can be read are enough.
    let (usable, _) = roots.add_parsable_certificates(found.certs);
    if usable == 0 {
        let reasons: Vec<String> = found.errors.iter().map(ToString::to_string).collect();
        return Err(HttpError::NoAuthorities(if reasons.is_empty() { "there are none".to_owned() } else { reasons.join("; ") }));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| HttpError::NoAuthorities(error.to_string()))?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}

impl std::fmt::Debug for Lazy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Lazy").field(&self.is_set_up()).finish()
    }
}
