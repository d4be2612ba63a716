//! Long texts on their way into and out of events.

use contract::port::Blobs;
use contract::request::{CallResult, Item, ModelRequest, Part};
use contract::text::{Room, Text};
use std::sync::Arc;

/// What could not be done because the log or a blob could not be read or written.
pub type Trouble = String;

/// Cuts the text for an event; its blob is durable before anyone can name it.
pub async fn store(blobs: &dyn Blobs, whole: String, room: Room) -> Result<Text, Trouble> {
    let cut = Text::cut(whole, room);
    if let Some(blob) = cut.blob {
        blobs.put(blob).await.map_err(|error| error.to_string())?;
    }
    Ok(cut.text)
}

/// The whole text.
pub async fn whole(blobs: &dyn Blobs, text: &Text) -> Result<String, Trouble> {
    let sha256 = match text {
        Text::Inline(text) => return Ok(text.clone()),
        Text::Blob { sha256, .. } => *sha256,
    };
    let bytes = blobs.get(sha256).await.map_err(|error| error.to_string())?;
    let bytes = bytes.ok_or_else(|| format!("blob sha256:{sha256} is missing"))?;
    String::from_utf8(bytes).map_err(|_| format!("blob sha256:{sha256} is not text"))
}

/// The request as an adapter gets it: results cut to their ends, everything else whole.
pub(crate) async fn expand(blobs: &dyn Blobs, request: ModelRequest) -> Result<ModelRequest, Trouble> {
    let mut items = Vec::with_capacity(request.items.len());
    for item in request.items {
        items.push(if has_blob(&item) { Arc::new(expand_item(blobs, &item).await?) } else { item });
    }
    Ok(ModelRequest { model: request.model, config: request.config, items })
}

fn has_blob(item: &Item) -> bool {
    let is_blob = |text: &Text| matches!(text, Text::Blob { .. });
    match item {
        Item::Message(text) | Item::Notice(text) => is_blob(text),
        Item::Assistant(parts) => parts.iter().any(|part| match part {
            Part::Text(text) | Part::Call { args: text, .. } | Part::Opaque { bytes: text, .. } => is_blob(text),
        }),
        Item::Result(result) | Item::Late(result) => result.output.as_ref().is_some_and(is_blob),
    }
}

async fn expand_item(blobs: &dyn Blobs, item: &Item) -> Result<Item, Trouble> {
    Ok(match item {
        Item::Message(text) => Item::Message(Text::Inline(whole(blobs, text).await?)),
        Item::Notice(text) => Item::Notice(Text::Inline(whole(blobs, text).await?)),
        Item::Result(result) => Item::Result(shown(result)),
        Item::Late(result) => Item::Late(shown(result)),
        Item::Assistant(parts) => {
            let mut expanded = Vec::with_capacity(parts.len());
            for part in parts {
                let mut part = part.clone();
                match &mut part {
                    Part::Text(text) | Part::Call { args: text, .. } | Part::Opaque { bytes: text, .. } => {
                        *text = Text::Inline(whole(blobs, text).await?);
                    }
                }
                expanded.push(part);
            }
            Item::Assistant(expanded)
        }
    })
}

fn shown(result: &CallResult) -> CallResult {
    let output = result.output.as_ref().map(|output| Text::Inline(output.shown()));
    CallResult { output, ..result.clone() }
}
