//! `request_user`: one question to the person. The session itself asks; here is only what it is asked for.

use super::{Run, Tool, refuse};
use crate::{args, texts};
use contract::call::{Class, Prepared, Risk, Wants};
use contract::port::{Preparation, Prepare, PrepareRefused};
use contract::text::{Cut, Room, Text};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) const TOOL: Tool = Tool {
    name: "request_user",
    description: texts::REQUEST_USER,
    class: Class::Pure,
    risk: Risk::Low,
    schema: args::schema::<Args>,
    prepare,
    run: Run::BySession,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The question, with all that the person needs to know to answer it.
    question: String,
}

fn prepare(call: &Prepare) -> Result<Preparation, PrepareRefused> {
    let args: Args = args::parse(TOOL.name, &call.args)?;
    if args.question.trim().is_empty() {
        return Err(refuse(texts::EMPTY_QUESTION));
    }
    // Preparing has no effect, so it cannot store the blob that a longer text would need.
    let Cut { text: question, blob: None } = Text::cut(args.question, Room::SMALL) else {
        return Err(refuse(texts::long_question(Room::SMALL.inline_bytes_max)));
    };
    let prepared = Prepared { wants: Some(Wants::Answer { question }), ..Prepared::default() };
    Ok(Preparation { class: Class::Pure, risk: Risk::Low, prepared, preview: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::testing::desk;
    use serde_json::json;

    #[test]
    fn the_session_is_asked_for_an_answer() {
        let longest = "x".repeat(Room::SMALL.inline_bytes_max);
        for question in ["Which one?", &longest] {
            let wants = Some(Wants::Answer { question: Text::Inline(question.into()) });
            let prepared = Prepared { wants, ..Prepared::default() };
            let expected = Preparation { class: Class::Pure, risk: Risk::Low, prepared, preview: None };
            assert_eq!(desk("request_user").prepare(&json!({"question": question})), Ok(expected));
        }
    }

    #[test]
    fn a_question_is_there_and_short() {
        let refused = |question: &str| desk("request_user").prepare(&json!({"question": question})).unwrap_err();
        assert_eq!(refused(""), texts::EMPTY_QUESTION);
        assert_eq!(refused(" \n"), texts::EMPTY_QUESTION);
        let room = Room::SMALL.inline_bytes_max;
        assert_eq!(refused(&"x".repeat(room + 1)), texts::long_question(room));
        assert_eq!(refused(&"\"".repeat(room)), texts::long_question(room), "as it is stored, a quote takes two");
    }
}
