//! What may stand in the configuration of an endpoint, and its addresses. Pure: it is asked before anything is sent.

use contract::config::{Endpoint, Protocol, Sampling};
use hyper::Uri;
use web::origin;

/// A configuration that its protocol refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadEndpoint {
    #[error("`base_url` of the model {model} cannot be used: {reason}")]
    Address { model: String, reason: String },
    #[error("the model {0} does not say what its provider calls it: `model` is empty")]
    Nameless(String),
    #[error("`{setting}` of the model {model}: {reason}")]
    Setting { model: String, setting: &'static str, reason: String },
}

/// Refuses what the provider would refuse, before a run depends on it.
pub fn check(endpoint: &Endpoint) -> Result<(), BadEndpoint> {
    check_address(endpoint)?;
    if endpoint.model.is_empty() {
        return Err(BadEndpoint::Nameless(endpoint.name.clone()));
    }
    match refused(endpoint.protocol, &endpoint.sampling) {
        None => Ok(()),
        Some((setting, reason)) => Err(BadEndpoint::Setting { model: endpoint.name.clone(), setting, reason: reason.to_owned() }),
    }
}

/// The same of its address alone.
pub(crate) fn check_address(endpoint: &Endpoint) -> Result<(), BadEndpoint> {
    let address = |reason: &str| BadEndpoint::Address { model: endpoint.name.clone(), reason: reason.to_owned() };
    let uri: Uri = endpoint.base_url.parse().map_err(|_| address("it is no address"))?;
    origin(&uri).map_err(address)?;
    if uri.query().is_some() { Err(address("it has a query")) } else { Ok(()) }
}

/// Thinking tokens that Anthropic allows at least.
const THINKING_TOKENS_MIN: u64 = 1_024;
/// Stop words that chat completions allow at most.
const STOPS_MAX: usize = 4;

fn refused(protocol: Protocol, sampling: &Sampling) -> Option<(&'static str, &'static str)> {
    let outside = |value: Option<f64>, max: f64| value.is_some_and(|value| !(0.0..=max).contains(&value));
    let temperature_max = if protocol == Protocol::Anthropic { 1.0 } else { 2.0 };
    if outside(sampling.temperature, temperature_max) {
        return Some(("temperature", if protocol == Protocol::Anthropic { "it is between 0 and 1" } else { "it is between 0 and 2" }));
    }
    if outside(sampling.top_p, 1.0) {
        return Some(("top_p", "it is between 0 and 1"));
    }
    if sampling.max_output_tokens == Some(0) {
        return Some(("max_output_tokens", "it is at least 1"));
    }
    if sampling.stop.iter().any(String::is_empty) {
        return Some(("stop", "an empty word stops nothing"));
    }
    match protocol {
        Protocol::OpenaiChat if sampling.stop.len() > STOPS_MAX => Some(("stop", "there are at most 4")),
        Protocol::OpenaiResponses if !sampling.stop.is_empty() => Some(("stop", "this protocol has no stop words")),
        Protocol::Anthropic => refused_by_anthropic(sampling),
        Protocol::OpenaiChat | Protocol::OpenaiResponses | Protocol::Ollama => None,
    }
}

fn refused_by_anthropic(sampling: &Sampling) -> Option<(&'static str, &'static str)> {
    if sampling.temperature.is_some() && sampling.top_p.is_some() {
        return Some(("top_p", "this protocol takes it or `temperature`, not both"));
    }
    let thinks = sampling.reasoning.as_deref().is_some_and(|reasoning| reasoning != "disabled");
    match sampling.reasoning.as_deref().map(str::parse::<u64>) {
        Some(Ok(budget)) if budget < THINKING_TOKENS_MIN => return Some(("reasoning", "a budget has at least 1024 tokens")),
        Some(Ok(budget)) if sampling.max_output_tokens.is_some_and(|max| max <= budget) => {
            return Some(("reasoning", "its budget is less than `max_output_tokens`"));
        }
        Some(Ok(_) | Err(_)) | None => {}
    }
    if thinks && sampling.temperature.is_some() {
        return Some(("temperature", "this protocol refuses it together with `reasoning`"));
    }
    (thinks && sampling.top_p.is_some()).then_some(("top_p", "this protocol refuses it together with `reasoning`"))
}

/// The address of a route below the base, whether or not the base already ends with the first folder of the route.
pub(crate) fn url(endpoint: &Endpoint, folder: &str, route: &str) -> String {
    let base = endpoint.base_url.trim_end_matches('/');
    let has_folder = folder.is_empty() || base.ends_with(folder);
    if has_folder { format!("{base}{route}") } else { format!("{base}{folder}{route}") }
}

/// Whether the endpoint is a service of this domain.
pub(crate) fn is_at(endpoint: &Endpoint, domain: &str) -> bool {
    let host = endpoint.base_url.parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_ascii_lowercase));
    host.is_some_and(|host| host.strip_suffix(domain).is_some_and(|before| before.is_empty() || before.ends_with('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(protocol: Protocol, base_url: &str, sampling: Sampling) -> Endpoint {
        Endpoint {
            name: "work".into(),
            protocol,
            base_url: base_url.into(),
            model: "m".into(),
            key: None,
            context_window: None,
            prices: None,
            sampling,
        }
    }

    fn setting(protocol: Protocol, sampling: Sampling) -> Option<&'static str> {
        match check(&endpoint(protocol, "https://x.example", sampling)) {
            Ok(()) => None,
            Err(BadEndpoint::Setting { setting, .. }) => Some(setting),
            Err(other @ (BadEndpoint::Address { .. } | BadEndpoint::Nameless(_))) => panic!("{other}"),
        }
    }

    #[test]
    fn settings_that_a_protocol_refuses_are_named() {
        use Protocol::{Anthropic, Ollama, OpenaiChat, OpenaiResponses};
        let unset = Sampling::default;
        let warm = Sampling { temperature: Some(1.5), ..unset() };
        assert_eq!(setting(OpenaiChat, warm.clone()), None);
        assert_eq!(setting(Anthropic, warm), Some("temperature"));
        let thinking = Sampling { temperature: Some(0.5), reasoning: Some("2048".into()), ..unset() };
        assert_eq!(setting(Anthropic, thinking.clone()), Some("temperature"));
        assert_eq!(setting(Ollama, thinking), None);
        assert_eq!(setting(Anthropic, Sampling { temperature: Some(0.5), reasoning: Some("disabled".into()), ..unset() }), None);
        assert_eq!(setting(Anthropic, Sampling { reasoning: Some("100".into()), ..unset() }), Some("reasoning"));
        let small = Sampling { reasoning: Some("4000".into()), max_output_tokens: Some(4000), ..unset() };
        assert_eq!(setting(Anthropic, small), Some("reasoning"));
        let stop = Sampling { stop: vec!["end".into()], ..unset() };
        assert_eq!(setting(OpenaiResponses, stop.clone()), Some("stop"));
        assert_eq!(setting(OpenaiChat, stop), None);
        assert_eq!(setting(OpenaiChat, Sampling { temperature: Some(f64::NAN), ..unset() }), Some("temperature"));
        assert_eq!(setting(OpenaiChat, Sampling { max_output_tokens: Some(0), ..unset() }), Some("max_output_tokens"));
    }

    #[test]
    fn addresses_are_checked_and_joined() {
        let at = |base: &str| endpoint(Protocol::Anthropic, base, Sampling::default());
        for bad in ["", "x", "ftp://x/", "https://me:key@x/", "https://x/?a=1"] {
            assert!(matches!(check(&at(bad)), Err(BadEndpoint::Address { .. })), "{bad}");
        }
        assert_eq!(url(&at("https://x/"), "/v1", "/messages"), "https://x/v1/messages");
        assert_eq!(url(&at("https://x/v1"), "/v1", "/messages"), "https://x/v1/messages");
        assert!(is_at(&at("https://API.deepseek.com/v1"), "deepseek.com") && !is_at(&at("https://notdeepseek.com"), "deepseek.com"));
    }
}
