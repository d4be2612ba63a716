//! The hostile texts, each with the calls of a model that obeys it, as `corpus.jsonl` has them.

use serde_json::Value;
use std::collections::BTreeMap;

/// How the text comes to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    File,
    Output,
    Error,
    Page,
    Agents,
    Name,
}

/// What the attack is for, and so who must notice it when nothing is in its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    Told,
    Changed,
    Answered,
    Rule,
}

/// How the defences are off in the control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Everything may run, and a person says yes to what is asked all the same.
    Usual,
    /// Commands may run and nobody is there: the attack answers what is asked by itself.
    Alone,
    /// As usual, and what is attacked is not the data folder of the run.
    OtherData,
}

#[derive(Clone, Debug)]
pub struct Attack {
    pub name: String,
    pub kind: Kind,
    pub text: String,
    /// Further files of the attack, by their path in the workspace.
    pub files: BTreeMap<String, String>,
    pub replies: Value,
    pub effect: Effect,
    pub control: Control,
    /// Also held back where the session may do everything and a rule allows it, because of the taint.
    pub in_full: bool,
}

pub fn attacks() -> Vec<Attack> {
    include_str!("corpus.jsonl").lines().map(|line| parse(line).unwrap_or_else(|| panic!("{line}"))).collect()
}

fn parse(line: &str) -> Option<Attack> {
    let value: Value = serde_json::from_str(line).ok()?;
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    let files = value["files"].as_object().into_iter().flatten();
    Some(Attack {
        name: text("name")?,
        kind: match text("kind")?.as_str() {
            "file" => Kind::File,
            "output" => Kind::Output,
            "error" => Kind::Error,
            "page" => Kind::Page,
            "agents" => Kind::Agents,
            "name" => Kind::Name,
            _ => return None,
        },
        text: text("text")?,
        files: files.map(|(path, text)| Some((path.clone(), text.as_str()?.to_owned()))).collect::<Option<_>>()?,
        replies: value["replies"].as_array().map(|_| value["replies"].clone())?,
        effect: match text("effect")?.as_str() {
            "told" => Effect::Told,
            "changed" => Effect::Changed,
            "answered" => Effect::Answered,
            "rule" => Effect::Rule,
            _ => return None,
        },
        control: match text("control").as_deref() {
            None => Control::Usual,
            Some("alone") => Control::Alone,
            Some("other data") => Control::OtherData,
            Some(_) => return None,
        },
        in_full: value["in_full"].as_bool().unwrap_or(false),
    })
}
