//! Lines typed while a session works: said to it, or commands that begin with a slash.

use super::{asks, local, status, stop};
use crate::catalog::Problem;
use crate::fault::{Fault, of_refusal};
use contract::ask::{Answer, Grant};
use contract::body::{Mode, Scope};
use contract::id::Key;
use contract::input::{Input, Rejection};
use throughline::{AskView, Refusal, Running, Throughline};

/// What a line means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    Nothing,
    Say { text: String, mode: Mode },
    Yes,
    Session,
    Always,
    No { why: Option<String> },
    Edit { args: String },
    More { amount: String },
    Stop,
    Pause,
    Resume,
    Unknown(String),
}

pub fn parse(line: &str) -> Typed {
    let line = line.trim();
    let Some(command) = line.strip_prefix('/') else {
        let mode = if line.starts_with('?') { Mode::Status } else { Mode::Steer };
        return if line.is_empty() { Typed::Nothing } else { Typed::Say { text: line.to_owned(), mode } };
    };
    let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    let rest = rest.trim();
    let said = |mode| Typed::Say { text: rest.to_owned(), mode };
    match (name, rest.is_empty()) {
        ("yes", true) => Typed::Yes,
        ("session", true) => Typed::Session,
        ("always", true) => Typed::Always,
        ("no", empty) => Typed::No { why: (!empty).then(|| rest.to_owned()) },
        ("edit", false) => Typed::Edit { args: rest.to_owned() },
        ("more", false) => Typed::More { amount: rest.to_owned() },
        ("queue", false) => said(Mode::Queue),
        ("interrupt", false) => said(Mode::Interrupt),
        ("stop", true) => Typed::Stop,
        ("pause", true) => Typed::Pause,
        ("resume", true) => Typed::Resume,
        _ => Typed::Unknown(line.to_owned()),
    }
}

/// Does what the line means. What is wrong with it is said in one line, and nothing is lost.
pub async fn act(throughline: &Throughline, running: &Running, typed: Typed) -> Result<(), Fault> {
    let session = running.session();
    let input = match typed {
        Typed::Nothing => return Ok(()),
        Typed::Say { text, mode: Mode::Status } => {
            let asked = throughline.message(text, Mode::Status, None, local(), running.version()).await?;
            offer(running, asked).await?;
            status::show(&throughline.status(session).await?, false);
            return Ok(());
        }
        Typed::Say { text, mode } => throughline.message(text, mode, None, local(), running.version()).await?,
        Typed::Yes => answer(&asked(throughline, running).await?, Answer::YES),
        Typed::Session => for_longer(throughline, running, Grant::Session).await?,
        Typed::Always => for_longer(throughline, running, Grant::Always).await?,
        Typed::More { amount } => {
            let view = asked(throughline, running).await?;
            answer(&view, asks::more(&view.ask.subject, &amount)?)
        }
        Typed::No { why } => {
            let message = match why {
                Some(why) => Some(throughline.reason(why).await?),
                None => None,
            };
            answer(&asked(throughline, running).await?, Answer::Deny { message, stop: false })
        }
        Typed::Edit { args } => throughline.edit_input(&asked(throughline, running).await?, args, None, local()).await?,
        Typed::Stop => Input::Stop { key: typed_key(running, "stop"), scope: Scope::Turn, by: local() },
        Typed::Pause => {
            let pause = Input::Pause { key: typed_key(running, "pause"), by: local() };
            return match running.input(pause).await {
                Err(Refusal::Rejected(Rejection::NothingToPause)) => {
                    Err(stop::not_paused(session, running.state().run.is_some(), running.is_stopping()))
                }
                other => other.map(drop).map_err(|refusal| of_refusal(&refusal, &session.to_string())),
            };
        }
        Typed::Resume => {
            let resumed = throughline.resume_driven(session, local()).await?;
            return resumed.map(drop).ok_or_else(|| Fault::new(Problem::NothingToResume));
        }
        Typed::Unknown(what) => return Err(Fault::new(Problem::UnknownTyped(&what))),
    };
    offer(running, input).await
}

async fn for_longer(throughline: &Throughline, running: &Running, grant: Grant) -> Result<Input, Fault> {
    let view = asked(throughline, running).await?;
    Ok(answer(&view, asks::for_longer(&view, grant)?))
}

/// Offers an input to the session that this process drives.
pub async fn offer(running: &Running, input: Input) -> Result<(), Fault> {
    running.input(input).await.map(drop).map_err(|refusal| of_refusal(&refusal, &running.session().to_string()))
}

/// The ask that is answered in place: the oldest that is open.
async fn asked(throughline: &Throughline, running: &Running) -> Result<AskView, Fault> {
    let asks = throughline.asks_of_running(running).await?;
    asks.into_iter().next().ok_or_else(|| Fault::new(Problem::NothingAsked))
}

fn answer(view: &AskView, answer: Answer) -> Input {
    Input::Answer { ask: view.ask.ask, key: Key(format!("typed/{}", view.ask.ask)), answer, by: local() }
}

/// Said once at this point of the session: a second press means the same.
pub fn typed_key(running: &Running, what: &str) -> Key {
    Key(format!("typed/{what}/{}", running.version()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use damage::damaged_text;
    use proptest::prelude::*;

    /// The line that means this.
    fn written(typed: &Typed) -> String {
        match typed {
            Typed::Nothing => String::new(),
            Typed::Say { text, mode: Mode::Steer | Mode::Status } => text.clone(),
            Typed::Say { text, mode: Mode::Queue } => format!("/queue {text}"),
            Typed::Say { text, mode: Mode::Interrupt } => format!("/interrupt {text}"),
            Typed::Yes => "/yes".to_owned(),
            Typed::Session => "/session".to_owned(),
            Typed::Always => "/always".to_owned(),
            Typed::No { why } => format!("/no {}", why.clone().unwrap_or_default()),
            Typed::Edit { args } => format!("/edit {args}"),
            Typed::More { amount } => format!("/more {amount}"),
            Typed::Stop => "/stop".to_owned(),
            Typed::Pause => "/pause".to_owned(),
            Typed::Resume => "/resume".to_owned(),
            Typed::Unknown(line) => line.clone(),
        }
    }

    proptest! {
        #[test]
        fn a_line_means_one_thing_and_can_be_written_again(
            line in prop_oneof![damaged_text("/?(yes|session|always|no|edit|more|queue|interrupt|stop|pause|resume)( [a-z{}:]{0,6})?"), ".{0,20}"],
            around in "[ \t]{0,2}",
        ) {
            let typed = parse(&line);
            prop_assert_eq!(&parse(&written(&typed)), &typed);
            prop_assert_eq!(&parse(&format!("{around}{line}{around}")), &typed, "white space around it means nothing");
            let is_command = line.trim().starts_with('/');
            match &typed {
                Typed::Nothing => prop_assert!(line.trim().is_empty()),
                Typed::Say { text, mode: Mode::Steer | Mode::Status } => prop_assert!(!is_command && text == line.trim()),
                Typed::Say { text, mode: Mode::Queue | Mode::Interrupt } => prop_assert!(is_command && !text.is_empty()),
                Typed::Unknown(named) => prop_assert!(is_command && named == line.trim(), "a slip is not said to a model"),
                Typed::Yes | Typed::Session | Typed::Always | Typed::No { .. } | Typed::Edit { .. } | Typed::More { .. } => prop_assert!(is_command),
                Typed::Stop | Typed::Pause | Typed::Resume => prop_assert!(is_command),
            }
        }
    }

    #[test]
    fn a_line_is_said_unless_it_begins_with_a_slash() {
        let say = |text: &str, mode| Typed::Say { text: text.to_owned(), mode };
        for (line, meant) in [
            ("", Typed::Nothing),
            ("   ", Typed::Nothing),
            (" use staging ", say("use staging", Mode::Steer)),
            ("yes", say("yes", Mode::Steer)),
            ("? how far", say("? how far", Mode::Status)),
            ("/yes", Typed::Yes),
            ("/session", Typed::Session),
            ("/always", Typed::Always),
            ("/no", Typed::No { why: None }),
            ("/no too risky", Typed::No { why: Some("too risky".to_owned()) }),
            (r#"/edit {"command":"ls"}"#, Typed::Edit { args: r#"{"command":"ls"}"#.to_owned() }),
            ("/more 50", Typed::More { amount: "50".to_owned() }),
            ("/more", Typed::Unknown("/more".to_owned())),
            ("/queue then summarise", say("then summarise", Mode::Queue)),
            ("/interrupt wrong folder", say("wrong folder", Mode::Interrupt)),
            ("/stop", Typed::Stop),
            ("/pause", Typed::Pause),
            ("/resume", Typed::Resume),
            ("/resume later", Typed::Unknown("/resume later".to_owned())),
            ("/stop it now", Typed::Unknown("/stop it now".to_owned())),
            ("/fly", Typed::Unknown("/fly".to_owned())),
            ("/queue", Typed::Unknown("/queue".to_owned())),
        ] {
            assert_eq!(parse(line), meant, "{line}");
        }
    }
}
