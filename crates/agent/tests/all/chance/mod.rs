//! Inputs by chance: whatever people, outcomes, clocks and owners do, the laws hold and nothing panics.

mod choices;

use crate::scene::{Scene, lines, made};
use agent::Agent;
use choices::{Choice, Name, Play, Said, Setting, Step, Told, plays, setting};
use contract::ask::Answer;
use contract::body::Body;
use contract::effect::EffectId;
use contract::id::{AskId, Key};
use contract::machine::Machine;
use contract::text::Text;
use contract::units::Time;
use proptest::prelude::*;

/// Names that the program gives to what it does itself; a person may use each of them too.
const NAMES: &[&str] = &["create", "owner/1", "owner/2", "owner/3", "m0", "r1", "person/message/m0"];

fn play(scene: &mut Scene, number: usize, play: &Play) {
    if play.noticed {
        step(scene, number, &play.step);
    } else {
        scene.elsewhere(|scene| step(scene, number, &play.step));
    }
}

fn step(scene: &mut Scene, number: usize, step: &Step) {
    match step {
        Step::Message(said, mode, name) => once(scene, &key("m", number, *name), |scene, key| match said {
            Said::Text => scene.send(key, *mode),
            Said::Beside => beside(scene, key),
            Said::Yes => scene.send_text(key, *mode, Text::from("Yes.")),
            Said::No => scene.send_text(key, *mode, Text::from("取消")),
        }),
        Step::Withdraw(which, name) => {
            let waiting: Vec<String> = scene.state.inbox.iter().map(|message| message.key.to_string()).collect();
            let Some(message) = waiting.get(which % waiting.len().max(1)) else { return };
            once(scene, &key("w", number, *name), |scene, key| scene.withdraw(key, message));
        }
        Step::Repeat(which) => repeat(scene, which % number.max(1)),
        Step::Done(which, choice) => {
            let wanted = Agent::effects(&scene.state);
            let Some(effect) = wanted.get(which % wanted.len().max(1)) else { return };
            let outcome = choice.outcome(effect.id(), scene);
            scene.done("outcome", effect.id(), effect.attempt(), outcome);
        }
        Step::Stale(which, attempt, choice) => {
            let known: Vec<EffectId> = scene.log.iter().filter_map(effect_of).collect();
            let Some(effect) = known.get(which % known.len().max(1)) else { return };
            let outcome = choice.outcome(*effect, scene);
            scene.done("late outcome", *effect, *attempt, outcome);
        }
        Step::Takeover { afar: false } => scene.takeover(),
        Step::Takeover { afar: true } => scene.takeover_from_afar(),
        Step::OldEpoch => scene.taken(scene.state.epoch().0),
        Step::Resume(name) => once(scene, &key("r", number, *name), Scene::resume),
        Step::Pause(name) => once(scene, &key("p", number, *name), Scene::pause),
        Step::Stop(scope, name) => once(scene, &key("s", number, *name), |scene, key| scene.stop(key, *scope)),
        Step::Answer(which, told, name) => {
            let Some(ask) = some_ask(scene, *which) else { return };
            once(scene, &key("a", number, *name), |scene, key| scene.answer_to(ask, key, answer(told)));
        }
        Step::Edit(which, name) => edit(scene, *which, &key("e", number, *name)),
        Step::Pass(ms) => scene.pass(*ms),
        Step::Due => due(scene),
    }
}

/// A message with the output of every call that was ever started, also of those that have ended.
fn beside(scene: &mut Scene, key: &str) {
    let decided = |event: &contract::Event| match &event.draft.body {
        Body::ActionDecided(decided) => Some(decided.call.to_string()),
        _ => None,
    };
    let calls: Vec<String> = scene.log.iter().filter_map(decided).collect();
    let printed: Vec<(&str, &str)> = calls.iter().map(|call| (call.as_str(), "printed")).collect();
    scene.message_beside(key, &printed);
}

fn answer(told: &Told) -> Answer {
    match told {
        Told::Approve(grant) => Answer::Approve { grant: *grant },
        Told::Deny { why, stop } => Answer::Deny { message: why.then(|| Text::from("because")), stop: *stop },
        Told::Reply => Answer::Reply(Text::from("blue")),
        Told::Extend(amount) => Answer::Extend { amount: *amount },
    }
}

/// An ask of the log, open ones first.
fn some_ask(scene: &Scene, which: usize) -> Option<AskId> {
    let open: Vec<AskId> = scene.state.asks.keys().copied().collect();
    open.get(which % open.len().max(1)).copied().or(scene.last_ask())
}

fn edit(scene: &mut Scene, which: usize, key: &str) {
    let held: Vec<String> = scene.state.asks.values().filter_map(|open| open.ask.subject.call()).map(|call| call.to_string()).collect();
    let Some(call) = held.get(which % held.len().max(1)) else { return };
    let tool = scene.state.calls[&call.parse().unwrap()].tool.clone();
    let edited = contract::call::PreparedCall { tool, ..made::command(which % 7, "another line") };
    once(scene, key, |scene, key| scene.edit(call, key, edited.clone()));
}

/// The clock goes on to what the machine waits for, if that is within the life of a person.
fn due(scene: &mut Scene) {
    let due = Agent::due(&scene.state).filter(|due| *due > scene.now && *due < Time(u64::MAX / 2));
    if due.is_some() && scene.state.owner.is_some() {
        scene.wait(0);
    }
}

fn key(kind: &str, number: usize, name: Name) -> String {
    name.map_or_else(|| format!("{kind}{number}"), |name| NAMES[name].to_owned())
}

/// Whatever a person does under a name that was used before is not recorded.
fn once(scene: &mut Scene, key: &str, input: impl Fn(&mut Scene, &str)) {
    let known = scene.state.seen.contains_key(&Key(key.to_owned()));
    let before = scene.log.len();
    input(scene, key);
    let recorded = scene.log[before..].iter().any(|event| lines::event(event).contains(key));
    assert!(!known || !recorded, "a repeat is not recorded");
}

fn repeat(scene: &mut Scene, number: usize) {
    let known = |key: &String| scene.state.seen.contains_key(&Key(key.clone()));
    let [message, resume, stop] = ["m", "r", "s"].map(|kind| format!("{kind}{number}"));
    if known(&message) {
        once(scene, &message, Scene::message);
    } else if known(&resume) {
        once(scene, &resume, Scene::resume);
    } else if known(&stop) {
        once(scene, &stop, |scene, key| scene.stop(key, contract::body::Scope::All));
    }
}

fn effect_of(event: &contract::Event) -> Option<EffectId> {
    match &event.draft.body {
        Body::ModelRequested(_) => Some(EffectId::Model(event.draft.id)),
        Body::ActionDecided(decided) => Some(EffectId::Tool(decided.action)),
        Body::MessageReceived(received) => Some(EffectId::Prepare(received.message)),
        _ => None,
    }
}

fn begin(setting: &Setting) -> Scene {
    let mut scene = if setting.child { Scene::child(setting.resume) } else { Scene::with(setting.resume) };
    setting.resolve(&mut scene.config);
    scene
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_laws_hold_whatever_happens(setting in setting(), plays in plays()) {
        // The scene checks all laws when it is dropped.
        let mut scene = begin(&setting);
        for (number, one) in plays.iter().enumerate() {
            play(&mut scene, number, one);
        }
    }

    /// Most random orders never reach a held, deferred or stopped call; these begin with calls that can be all of it.
    #[test]
    fn the_laws_hold_whatever_happens_to_open_calls(setting in setting(), first in choices::calls(), plays in plays()) {
        let mut scene = begin(&setting);
        scene.message("first");
        scene.prepared();
        if scene.state.model.is_some() {
            scene.replies(Choice::parts(&first));
        }
        for (number, one) in plays.iter().enumerate() {
            play(&mut scene, number, one);
        }
    }
}
