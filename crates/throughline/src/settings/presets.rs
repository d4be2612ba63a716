//! Providers that need only a key.

use super::Environment;
use contract::config::{Endpoint, Protocol, Sampling};
use std::net::Ipv6Addr;

/// A provider by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    pub name: &'static str,
    pub protocol: Protocol,
    pub base_url: &'static str,
    /// The variable that moves it elsewhere, as its own tools have it.
    pub base_url_env: &'static str,
    /// The variable with its key; none for one that wants none.
    pub key_env: Option<&'static str>,
    /// Names of its general models, the better ones first; `#` stands for a version, and the highest one counts. With none,
    /// whatever it lists first.
    pub general: &'static [&'static str],
}

const fn openai_chat(
    name: &'static str,
    base_url: &'static str,
    base_url_env: &'static str,
    key_env: &'static str,
    general: &'static [&'static str],
) -> Preset {
    Preset { name, protocol: Protocol::OpenaiChat, base_url, base_url_env, key_env: Some(key_env), general }
}

/// In the order in which a key is looked for. What needs none comes last: whoever has a key most likely wants it used.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "anthropic",
        protocol: Protocol::Anthropic,
        base_url: "https://api.anthropic.com",
        base_url_env: "ANTHROPIC_BASE_URL",
        key_env: Some("ANTHROPIC_API_KEY"),
        general: &["claude-sonnet-#", "claude-#-sonnet", "claude-opus-#", "claude-#-opus", "claude-haiku-#", "claude-#-haiku"],
    },
    openai_chat(
        "openai",
        "https://api.openai.com/v1",
        "OPENAI_BASE_URL",
        "OPENAI_API_KEY",
        &["gpt-#", "gpt-#o", "o#", "gpt-#-mini", "gpt-#-turbo"],
    ),
    openai_chat(
        "deepseek",
        "https://api.deepseek.com",
        "DEEPSEEK_BASE_URL",
        "DEEPSEEK_API_KEY",
        &["deepseek-v#-pro", "deepseek-pro", "deepseek-v#", "deepseek-chat", "deepseek-v#-flash", "deepseek-flash"],
    ),
    openai_chat(
        "ark",
        "https://ark.cn-beijing.volces.com/api/v3",
        "ARK_BASE_URL",
        "ARK_API_KEY",
        &["doubao-seed-#-pro", "doubao-seed-#", "doubao-#-pro-256k", "doubao-#-pro-32k", "deepseek-v#", "kimi-k#"],
    ),
    openai_chat(
        "openrouter",
        "https://openrouter.ai/api/v1",
        "OPENROUTER_BASE_URL",
        "OPENROUTER_API_KEY",
        &["anthropic/claude-sonnet-#", "openai/gpt-#", "deepseek/deepseek-v#", "z-ai/glm-#", "moonshotai/kimi-k#", "openrouter/auto"],
    ),
    openai_chat(
        "moonshot",
        "https://api.moonshot.cn/v1",
        "MOONSHOT_BASE_URL",
        "MOONSHOT_API_KEY",
        &["kimi-k#", "kimi-k#-preview", "kimi-latest", "moonshot-v#-auto", "moonshot-v#-128k"],
    ),
    openai_chat(
        "qwen",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "DASHSCOPE_BASE_URL",
        "DASHSCOPE_API_KEY",
        &["qwen#-max", "qwen#-plus", "qwen-max", "qwen-plus"],
    ),
    openai_chat("zhipu", "https://open.bigmodel.cn/api/paas/v4", "ZHIPU_BASE_URL", "ZHIPU_API_KEY", &["glm-#", "glm-#-plus", "glm-#-air"]),
    Preset {
        name: "ollama",
        protocol: Protocol::Ollama,
        base_url: "http://127.0.0.1:11434",
        base_url_env: "OLLAMA_HOST",
        key_env: None,
        general: &[],
    },
];

impl Preset {
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// A model of it, where the environment says that it is.
    #[must_use]
    pub fn endpoint(&self, environment: &dyn Environment, name: &str, model: &str) -> Endpoint {
        let base_url = environment.get(self.base_url_env).map_or_else(
            || self.base_url.to_owned(),
            // A key must not be sent in clear text because of a scheme that somebody guessed.
            |address| if self.key_env.is_none() { completed(address) } else { address },
        );
        Endpoint { key: self.key_env.map(str::to_owned), ..bare(name, self.protocol, &base_url, model) }
    }
}

/// The port of Ollama where none is given.
const OLLAMA_PORT: &str = "11434";

/// Ollama's variable may hold only a host, a port, or both.
fn completed(address: String) -> String {
    if address.contains("://") {
        return address;
    }
    let (place, path) = address.split_at(address.find('/').unwrap_or(address.len()));
    let (host, port) = match place.rsplit_once(':') {
        // The colons of an address of version 6 that stands alone are no end of a host.
        Some(_) if place.ends_with(']') => (place.to_owned(), ""),
        Some(_) if place.parse::<Ipv6Addr>().is_ok() => (format!("[{place}]"), ""),
        Some((host, port)) => (host.to_owned(), port),
        None => (place.to_owned(), ""),
    };
    let host = if host.is_empty() { "127.0.0.1" } else { &host };
    let port = if port.is_empty() { OLLAMA_PORT } else { port };
    format!("http://{host}:{port}{path}")
}

/// A model of which nothing else is known.
pub(super) fn bare(name: &str, protocol: Protocol, base_url: &str, model: &str) -> Endpoint {
    Endpoint {
        name: name.to_owned(),
        protocol,
        base_url: base_url.trim_end_matches('/').to_owned(),
        model: model.to_owned(),
        key: None,
        context_window: None,
        prices: None,
        sampling: Sampling::default(),
    }
}
