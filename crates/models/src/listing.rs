//! Which models a provider has: one question, and where the answer does not tell what they can, one more for each.

use crate::asking::Asking;
use crate::endpoint::check_address;
use crate::failure::{self, RetryAfter, Said};
use crate::keys::Key;
use crate::offer::Offered;
use crate::ollama;
use crate::protocol::{listed, listing};
use crate::remote::{ERROR_BYTES_MAX, Remote, key_header};
use contract::config::{Endpoint, Protocol};
use contract::port::ModelFailure;
use web::{Answer, Get, HttpError, Post};

/// Bytes of a list; those who sell the models of all others have some hundred, each with a page of prices.
const LIST_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Local models that are asked what they can; the newest come first.
const SHOWN_MAX: usize = 16;

impl Remote {
    /// The models behind the address, in the order of the provider. What the endpoint calls its own model does not matter.
    pub async fn offered(&self, endpoint: &Endpoint) -> Result<Vec<Offered>, ModelFailure> {
        check_address(endpoint).map_err(|error| failure::permanent(error.to_string()))?;
        let key = self.key(endpoint)?;
        let offered = self.listed(endpoint, key.as_ref()).await;
        offered.map_err(|failure| failure::for_people(failure, key.as_ref()))
    }

    async fn listed(&self, endpoint: &Endpoint, key: Option<&Key>) -> Result<Vec<Offered>, ModelFailure> {
        let asked = listing(endpoint);
        let mut get = Get::new(asked.url);
        for (name, value) in asked.headers.into_iter().chain(key_header(endpoint, key)?) {
            get = get.header(name, value);
        }
        let answer = self.client.get(get).await.map_err(|error| failure::of_http(&error))?;
        let mut offered = listed(endpoint.protocol, &body(answer).await?).map_err(|_| no_list())?;
        if endpoint.protocol == Protocol::Ollama {
            offered.truncate(SHOWN_MAX);
            for one in &mut offered {
                one.tools = Some(self.can_call(endpoint, key, &one.model).await?);
            }
        }
        Ok(offered)
    }

    /// A model that cannot be shown calls nothing, and hides none of the others.
    async fn can_call(&self, endpoint: &Endpoint, key: Option<&Key>, model: &str) -> Result<bool, ModelFailure> {
        let Asking { url, headers, body: sent } =
            ollama::showing(endpoint, model).map_err(|error| failure::permanent(error.to_string()))?;
        let mut post = Post::new(url, sent);
        for (name, value) in headers.into_iter().chain(key_header(endpoint, key)?) {
            post = post.header(name, value);
        }
        let answer = self.client.post(post).await.map_err(|error| failure::of_http(&error))?;
        if answer.status() != 200 {
            return Ok(false);
        }
        match answer.whole(LIST_BYTES_MAX).await {
            Ok(shown) => Ok(ollama::calls_tools(&shown).unwrap_or(false)),
            Err(HttpError::TooLong { .. }) => Ok(false),
            Err(error) => Err(failure::of_http(&error)),
        }
    }
}

async fn body(answer: Answer) -> Result<Vec<u8>, ModelFailure> {
    let status = answer.status();
    if status == 200 {
        return answer.whole(LIST_BYTES_MAX).await.map_err(|error| failure::of_http(&error));
    }
    let said = Said::read(Some(status), &answer.beginning(ERROR_BYTES_MAX).await);
    Err(failure::of_status(&said, RetryAfter::default()))
}

fn no_list() -> ModelFailure {
    failure::permanent("status 200: no list of models".to_owned())
}
