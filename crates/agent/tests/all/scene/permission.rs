//! Nothing starts that may not: every start has a rule, a low enough risk, or an answer to an ask about that very call
//! that still counts; and nothing of a run starts after a person ended it.

use agent::policy::{Ground, Judgement, judge_call};
use contract::ask::{Answer, Ask, LimitKind, Subject};
use contract::body::{ActionDecided, AskAnswered, Body, Scope};
use contract::call::Touches;
use contract::config::ConfigRef;
use contract::event::Event;
use contract::id::{ActionId, AskId, RunId, Sha256};
use contract::limits::APPROVAL_VALID_MS;
use contract::rule::Rule;
use contract::units::Time;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
struct Account<'a> {
    run: Option<(RunId, &'a ConfigRef)>,
    /// A person ended the open run.
    ended: bool,
    rules: Vec<Rule>,
    /// What calls may have shown, what the model was shown, and what was allowed since that was enough to be careful.
    started: Touches,
    shown: Touches,
    knowing: Vec<Rule>,
    /// Decided calls that have not ended.
    open: BTreeMap<ActionId, Open<'a>>,
    asks: BTreeMap<AskId, &'a Ask>,
    /// What an edit approved, until the edited call is decided in the same append.
    edited: BTreeMap<ActionId, (Sha256, Time)>,
}

struct Open<'a> {
    decided: &'a ActionDecided,
    foreground: bool,
    stopped: bool,
    approved_until: Option<Time>,
}

pub fn check(log: &[Event]) {
    let mut account = Account::default();
    for event in log {
        account.note(event);
    }
}

impl<'a> Account<'a> {
    fn note(&mut self, event: &'a Event) {
        let at = format!("{} at {}", event.draft.body.name(), event.version);
        match &event.draft.body {
            Body::ResourceLoaded(loaded) => self.started.untrusted |= !loaded.trusted,
            Body::RunStarted(started) => (self.run, self.ended) = (Some((started.run, &started.config)), false),
            Body::RunFinished(_) => {
                let holds = self.open.values().find(|open| open.foreground).map(|open| open.decided.call);
                assert_eq!(holds, None, "{at} leaves a call of its foreground open");
                self.run = None;
            }
            Body::RunCancelRequested(requested) => self.stop(requested.scope),
            Body::ModelRequested(_) => {
                assert!(!self.ended, "{at} asks a model for a run that a person ended");
                self.shown = self.shown.and(self.started);
            }
            Body::ActionDecided(decided) => self.decide(decided, &at),
            Body::AskOpened(opened) => {
                self.asks.insert(opened.ask.ask, &opened.ask);
                self.opened(&opened.ask, &at);
            }
            Body::AskAnswered(answered) => self.answer(answered, event.time),
            Body::ToolStarted(started) => {
                self.begins(started.action, &at);
                self.may_start(started.action, started.attempt, event.time, &at);
                self.started = self.started.and(self.open[&started.action].decided.prepared.touches);
            }
            Body::TimerSet(set) => self.begins(set.action, &at),
            Body::ToolBackgrounded(backgrounded) => {
                if let Some(open) = self.open.get_mut(&backgrounded.action) {
                    open.foreground = false;
                }
            }
            Body::ToolFinished(end) => self.end(end.action),
            Body::ToolReconciled(end) => self.end(end.action),
            Body::ActionWithdrawn(end) => end.action.into_iter().for_each(|action| self.end(action)),
            Body::TimerFired(_) | Body::TimerCancelled(_) => {
                let call = event.draft.call;
                self.open.retain(|_, open| Some(open.decided.call) != call);
            }
            _ => {}
        }
    }

    fn end(&mut self, action: ActionId) {
        self.open.remove(&action);
    }

    fn stop(&mut self, scope: Scope) {
        self.ended |= self.run.is_some();
        for open in self.open.values_mut() {
            open.stopped |= scope == Scope::All || (open.foreground && self.run.is_some());
        }
    }

    fn decide(&mut self, decided: &'a ActionDecided, at: &str) {
        let mut open = Open { decided, foreground: true, stopped: false, approved_until: None };
        if let Some(replaced) = decided.replaces {
            let old = self.open.remove(&replaced).unwrap_or_else(|| panic!("{at} replaces what is not open"));
            let (hash, until) = self.edited.remove(&replaced).unwrap_or_else(|| panic!("{at} replaces what nobody edited"));
            assert_eq!(hash, decided.args_hash, "{at} has other arguments than the answer");
            assert_eq!((old.decided.call, &old.decided.tool), (decided.call, &decided.tool), "{at} is another call");
            open = Open { approved_until: Some(until), foreground: old.foreground, stopped: old.stopped, ..open };
        }
        self.open.insert(decided.action, open);
    }

    /// An ask names the very call that it holds.
    fn opened(&self, ask: &Ask, at: &str) {
        if let Subject::Tool { call, action, args_hash, witness, .. } = &ask.subject {
            let open = self.open.get(action).unwrap_or_else(|| panic!("{at} is about no open call"));
            let named = (open.decided.call, open.decided.args_hash, open.decided.prepared.witness);
            assert_eq!(named, (*call, *args_hash, *witness), "{at} names something else than is held");
            assert!(!open.stopped, "{at} asks about what was stopped");
        }
    }

    fn answer(&mut self, answered: &AskAnswered, now: Time) {
        let Some(ask) = self.asks.remove(&answered.ask) else { return };
        self.rules.extend(answered.rule.clone());
        let held = match &ask.subject {
            Subject::Tool { action, .. } => self.open.get(action),
            _ => None,
        };
        let looks = held.is_some_and(|open| open.decided.prepared.touches.private);
        if self.shown.untrusted && (self.shown.private || looks) {
            self.knowing.extend(answered.rule.clone());
        }
        let hour = now.plus_ms(APPROVAL_VALID_MS);
        let until = ask.until.map_or(hour, |until| until.min(hour));
        match (&ask.subject, &answered.answer) {
            (Subject::Tool { action, .. }, Answer::Approve { .. }) => {
                if let Some(open) = self.open.get_mut(action) {
                    open.approved_until = Some(until);
                }
            }
            (Subject::Tool { action, .. }, Answer::Edit { args_hash, .. }) => drop(self.edited.insert(*action, (*args_hash, until))),
            (Subject::Question { action, .. }, Answer::Reply(_)) => self.end(*action),
            // It ends with its last reply.
            (Subject::Limit { limit: LimitKind::Turns, .. }, Answer::Deny { stop: false, .. }) => {}
            (Subject::Limit { .. } | Subject::Resume, Answer::Deny { .. }) | (_, Answer::Deny { stop: true, .. }) => self.stop(Scope::Turn),
            (_, Answer::Approve { .. } | Answer::Edit { .. } | Answer::Deny { .. } | Answer::Reply(_) | Answer::Extend { .. }) => {}
        }
    }

    /// Nothing of the foreground begins after a person ended its run.
    fn begins(&self, action: ActionId, at: &str) {
        let open = self.open.get(&action).unwrap_or_else(|| panic!("{at} begins what is not open"));
        let stopped = open.stopped || (self.ended && open.foreground);
        assert!(!stopped, "{at} begins what a person ended");
    }

    fn may_start(&self, action: ActionId, attempt: u16, now: Time, at: &str) {
        let Open { decided, approved_until, .. } = &self.open[&action];
        let approved = approved_until.is_some_and(|until| now < until);
        let Some((_, config)) = self.run else {
            assert!(attempt > 1 && (approved || approved_until.is_none()), "{at} begins something without a run");
            return;
        };
        let (granted, knowing) = (&self.rules, self.knowing.as_slice());
        let ground = Ground { policy: &config.policy, granted, standing: &config.standing, seen: self.shown, knowing };
        match judge_call(ground, &decided.tool, &decided.prepared, decided.risk) {
            Judgement::Allow(_) => {}
            Judgement::Ask(_) => assert!(approved, "{at} starts {} without an answer that counts", decided.call),
            Judgement::Deny(rule) => panic!("{at} starts what the rule {rule} forbids"),
        }
    }
}

/// Every key of a person's input is used once, whatever they did with it.
pub fn keys_are_used_once(log: &[Event]) {
    let mut keys = BTreeSet::new();
    for event in log {
        let key = match &event.draft.body {
            Body::MessageReceived(received) => Some(&received.key),
            Body::MessageWithdrawn(withdrawn) => Some(&withdrawn.key),
            Body::AskAnswered(answered) => Some(&answered.key),
            Body::RunCancelRequested(requested) => Some(&requested.key),
            Body::RunPaused(paused) => paused.key.as_ref(),
            Body::RunResumed(resumed) => Some(&resumed.key),
            _ => None,
        };
        assert!(key.is_none_or(|key| keys.insert(key)), "the key of {} at {} was used", event.draft.body.name(), event.version);
    }
}
