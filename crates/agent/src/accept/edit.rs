//! A person approves a held call with other arguments. What they wrote is prepared and judged like any call.

use super::answer::{draft, open_ask};
use super::{about_person, check_new};
use crate::draft::{About, Drafts};
use crate::policy::{Ground, Judgement, judge_call};
use crate::prompts;
use crate::state::State;
use contract::ask::{Answer, Subject};
use contract::body::{ActionDecided, Principal};
use contract::call::PreparedCall;
use contract::event::Draft;
use contract::id::{ActionId, AskId, Key};
use contract::input::Rejection;
use contract::units::Time;

pub fn accept(state: &State, ask: AskId, key: Key, edited: PreparedCall, by: Principal, now: Time) -> Result<Vec<Draft>, Rejection> {
    check_new(state, &key)?;
    let open = open_ask(state, ask, now)?;
    let not_an_answer = Rejection::NotAnAnswer { ask, kind: open.ask.subject.kind() };
    let held = match &open.ask.subject {
        Subject::Tool { call, .. } => state.calls.get(call).map(|held| (*call, held)),
        Subject::Question { .. } | Subject::Limit { .. } | Subject::Reconcile { .. } | Subject::Resume => None,
    };
    let (Some((id, held)), Some(run)) = (held, &state.run) else {
        return Err(not_an_answer);
    };
    // What may have run under its old arguments stays the action that it was.
    if edited.tool != held.tool || held.lost.is_some() {
        return Err(not_an_answer);
    }
    if let Some(refused) = edited.refused {
        return Err(Rejection::EditRefused(refused));
    }
    if let Judgement::Deny(rule) = judge_call(Ground::of(state, &run.config), &edited.tool, &edited.prepared, edited.risk) {
        return Err(Rejection::Forbidden(rule.clone()));
    }
    let mut drafts = Drafts::new(state);
    let answer = Answer::Edit { args: edited.args.clone(), args_hash: edited.args_hash };
    draft(&mut drafts, state, open, key.clone(), answer, by.clone());
    let name = Key::person("edit", &key);
    let decided = ActionDecided {
        action: ActionId::from(drafts.fact_id(&name)),
        call: id,
        provider_call: held.provider_call.clone(),
        tool: edited.tool,
        note: Some(prompts::edited(&edited.args)),
        args: edited.args,
        args_hash: edited.args_hash,
        class: edited.class,
        risk: edited.risk,
        prepared: edited.prepared,
        replaces: Some(held.action),
    };
    let about = About { cause: Some(held.decided), call: Some(id), ..about_person(&by) };
    drafts.fact(&name, about, decided);
    Ok(drafts.finish())
}
