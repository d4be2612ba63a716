//! From the name of a host to its addresses.

use std::fmt::Debug;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;

/// All addresses of a name.
pub type Addresses<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Asked once for a visit; what it answers is checked and then connected to.
pub trait Resolve: Debug + Send + Sync {
    fn resolve<'a>(&'a self, name: &'a str) -> Addresses<'a>;
}

/// As this machine is set up to find names.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Resolve for System {
    fn resolve<'a>(&'a self, name: &'a str) -> Addresses<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}
