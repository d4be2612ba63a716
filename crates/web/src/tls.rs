//! TLS, set up with the first address that asks for it: reading the certificates of a machine takes milliseconds.

use crate::HttpError;
use crate::post::Origin;
use rustls::pki_types::{CertificateDer, ServerName};
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
    let reasons: Vec<String> = found.errors.iter().map(ToString::to_string).collect();
    trusting(found.certs, &reasons.join("; "))
}

fn trusting(authorities: Vec<CertificateDer<'static>>, otherwise: &str) -> Result<TlsConnector, HttpError> {
    let mut roots = RootCertStore::empty();
    // Machines hold certificates that no standard allows; those that can be read are enough.
    let (usable, _) = roots.add_parsable_certificates(authorities);
    if usable == 0 {
        return Err(HttpError::NoAuthorities(if otherwise.is_empty() { "there are none".to_owned() } else { otherwise.to_owned() }));
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Client, HttpLimits, Post};
    use rustls::ServerConfig;
    use rustls::pki_types::PrivateKeyDer;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;

    /// Answers every connection with one word, behind a certificate for `localhost`; gives its port and the certificate.
    pub(crate) async fn serve() -> (u16, CertificateDer<'static>) {
        let signed = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let certificate = signed.cert.der().clone();
        let key = PrivateKeyDer::try_from(signed.signing_key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = builder.with_no_client_auth().with_single_cert(vec![certificate.clone()], key).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut stream) = acceptor.accept(stream).await else { continue };
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret").await;
                let _ = stream.shutdown().await;
            }
        });
        (port, certificate)
    }

    pub(crate) fn trust(trusted: CertificateDer<'static>) -> Lazy {
        Lazy(OnceCell::new_with(Some(trusting(vec![trusted], "").unwrap())))
    }

    fn client(trusted: CertificateDer<'static>) -> Client {
        Client { tls: trust(trusted), ..Client::new(HttpLimits::default()) }
    }

    #[tokio::test]
    async fn a_server_is_believed_when_an_authority_vouches_for_its_name() {
        let (port, certificate) = serve().await;
        let (_, of_another) = serve().await;
        let post = |host: &str| Post::new(format!("https://{host}:{port}/"), b"{}".to_vec());

        let answer = client(certificate.clone()).post(post("localhost")).await.unwrap();
        assert_eq!((answer.status(), answer.beginning(100).await), (200, b"secret".to_vec()));
        let stranger = client(of_another).post(post("localhost")).await.unwrap_err();
        assert!(matches!(&stranger, HttpError::Tls { reason, .. } if reason.contains("certificate")), "{stranger}");
        let another_name = client(certificate).post(post("127.0.0.1")).await.unwrap_err();
        assert!(matches!(&another_name, HttpError::Tls { reason, .. } if reason.contains("certificate")), "{another_name}");
        assert!(matches!(trusting(Vec::new(), ""), Err(HttpError::NoAuthorities(_))));
    }
}
