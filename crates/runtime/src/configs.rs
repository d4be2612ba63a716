//! Configurations that runs of this process use, read and decoded once.
//!
//! A configuration is named by the hash of its bytes, so what is kept never has to be read again.

use crate::text::Trouble;
use contract::config::RunConfig;
use contract::id::Sha256;
use contract::port::Blobs;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Configurations kept, the latest read first to stay; sessions of one process mostly share one.
const KEPT_MAX: usize = 32;

#[derive(Debug, Default)]
pub struct Configs {
    kept: Mutex<VecDeque<(Sha256, Arc<RunConfig>)>>,
}

impl Configs {
    pub(crate) async fn get(&self, blobs: &dyn Blobs, sha256: Sha256) -> Result<Arc<RunConfig>, Trouble> {
        if let Some(config) = self.find(sha256) {
            return Ok(config);
        }
        let bytes = blobs.get(sha256).await.map_err(|error| error.to_string())?;
        let bytes = bytes.ok_or_else(|| format!("configuration sha256:{sha256} is missing"))?;
        let config = serde_json::from_slice(&bytes).map_err(|error| format!("configuration sha256:{sha256} cannot be read: {error}"))?;
        Ok(self.keep(sha256, Arc::new(config)))
    }

    fn find(&self, sha256: Sha256) -> Option<Arc<RunConfig>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(of, _)| *of == sha256).map(|(_, config)| config.clone())
    }

    fn keep(&self, sha256: Sha256, config: Arc<RunConfig>) -> Arc<RunConfig> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.truncate(KEPT_MAX - 1);
        kept.push_front((sha256, config.clone()));
        config
    }
}
