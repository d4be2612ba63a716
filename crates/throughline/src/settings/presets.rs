//! Providers that need only a key.

use contract::config::Protocol;

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
}

const fn openai_chat(name: &'static str, base_url: &'static str, base_url_env: &'static str, key_env: &'static str) -> Preset {
    Preset { name, protocol: Protocol::OpenaiChat, base_url, base_url_env, key_env: Some(key_env) }
}

/// In the order in which a key in the environment is looked for.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "anthropic",
        protocol: Protocol::Anthropic,
        base_url: "https://api.anthropic.com",
        base_url_env: "ANTHROPIC_BASE_URL",
        key_env: Some("ANTHROPIC_API_KEY"),
    },
    openai_chat("openai", "https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
    openai_chat("deepseek", "https://api.deepseek.com", "DEEPSEEK_BASE_URL", "DEEPSEEK_API_KEY"),
    openai_chat("ark", "https://ark.cn-beijing.volces.com/api/v3", "ARK_BASE_URL", "ARK_API_KEY"),
    openai_chat("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_BASE_URL", "OPENROUTER_API_KEY"),
    openai_chat("moonshot", "https://api.moonshot.cn/v1", "MOONSHOT_BASE_URL", "MOONSHOT_API_KEY"),
    openai_chat("qwen", "https://dashscope.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_BASE_URL", "DASHSCOPE_API_KEY"),
    openai_chat("zhipu", "https://open.bigmodel.cn/api/paas/v4", "ZHIPU_BASE_URL", "ZHIPU_API_KEY"),
    Preset { name: "ollama", protocol: Protocol::Ollama, base_url: "http://127.0.0.1:11434", base_url_env: "OLLAMA_HOST", key_env: None },
];

impl Preset {
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| preset.name == name)
    }
}
