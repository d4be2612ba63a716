//! Inputs by chance: whatever people, outcomes and owners do, the laws hold and nothing panics.

use crate::scene::{Scene, made};
use agent::Agent;
use contract::ask::Answer;
use contract::body::{Body, FailureClass, Mode, UnknownReason};
use contract::call::Class;
use contract::config::ResumePolicy;
use contract::effect::EffectId;
use contract::id::Key;
use contract::limits::REPLY_PARTS_MAX;
use contract::machine::Machine;
use contract::outcome::{ModelOutcome, Outcome, ReplyPart, ToolOutcome};
use contract::text::Text;
use proptest::prelude::*;

/// Names that the program gives to what it does itself; a person may use each of them too.
const NAMES: &[&str] = &["create", "owner/1", "owner/2", "owner/3", "m0", "r1", "person/message/m0"];

/// What a person calls an input: by its number, or by one of the names above.
type Name = Option<usize>;

#[derive(Clone, Debug)]
enum Step {
    Message(Mode, Name),
    /// A key that was used before, for a message or a resume.
    Repeat(usize),
    /// Outcome of the chosen wanted effect.
    Done(usize, Choice),
    /// Outcome of the chosen effect of the log, open or not, of the chosen attempt.
    Stale(usize, u16, Choice),
    Takeover,
    OldEpoch,
    Resume(Name),
    Answer(bool, Name),
}

/// What came of an effect, for each kind of effect.
#[derive(Clone, Debug)]
struct Choice {
    parts: Vec<Piece>,
    failure: Option<FailureClass>,
    tool: u8,
}

#[derive(Clone, Copy, Debug)]
enum Piece {
    Text,
    Empty,
    Blank,
    Opaque,
    Call(Class),
    Refused,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        2 => (prop_oneof![Just(Mode::Steer), Just(Mode::Queue)], name()).prop_map(|(mode, name)| Step::Message(mode, name)),
        1 => any::<usize>().prop_map(Step::Repeat),
        9 => (any::<usize>(), choice()).prop_map(|(which, choice)| Step::Done(which, choice)),
        1 => (any::<usize>(), 0u16..4, choice()).prop_map(|(which, attempt, choice)| Step::Stale(which, attempt, choice)),
        2 => Just(Step::Takeover),
        1 => Just(Step::OldEpoch),
        1 => name().prop_map(Step::Resume),
        1 => (any::<bool>(), name()).prop_map(|(approve, name)| Step::Answer(approve, name)),
    ];
    prop::collection::vec(step, 1..32)
}

fn name() -> impl Strategy<Value = Name> {
    prop::option::weighted(0.3, 0..NAMES.len())
}

fn choice() -> impl Strategy<Value = Choice> {
    let class = prop_oneof![Just(Class::Pure), Just(Class::Idempotent), Just(Class::Probe), Just(Class::Unsafe)];
    let piece = prop_oneof![
        2 => Just(Piece::Text),
        1 => Just(Piece::Empty),
        1 => Just(Piece::Blank),
        1 => Just(Piece::Opaque),
        6 => class.prop_map(Piece::Call),
        1 => Just(Piece::Refused),
    ];
    let failure = prop_oneof![Just(FailureClass::Interrupted), Just(FailureClass::Transient), Just(FailureClass::ContextTooLong)];
    let most = REPLY_PARTS_MAX - 2..REPLY_PARTS_MAX + 3;
    let parts = prop_oneof![
        18 => prop::collection::vec(piece.clone(), 0..12),
        2 => prop::collection::vec(piece.clone(), 20..40),
        1 => prop::collection::vec(piece, most),
    ];
    (parts, prop::option::weighted(0.15, failure), 0u8..8).prop_map(|(parts, failure, tool)| Choice { parts, failure, tool })
}

impl Choice {
    fn outcome(&self, effect: EffectId, scene: &Scene) -> Outcome {
        match effect {
            EffectId::Prepare(_) => Outcome::Prepared(scene.config.clone()),
            EffectId::Model(_) => Outcome::Model(match self.failure {
                Some(class) => ModelOutcome::Failed { class, message: Text::from("why"), retry_after_ms: None },
                None => ModelOutcome::Replied(made::reply(self.reply())),
            }),
            EffectId::Tool(_) => Outcome::Tool(self.tool()),
        }
    }

    fn reply(&self) -> Vec<ReplyPart> {
        let part = |(number, piece): (usize, &Piece)| match piece {
            Piece::Text => made::text("text"),
            Piece::Empty => made::text(""),
            Piece::Blank => made::text(" \n"),
            Piece::Opaque => made::opaque("opaque"),
            Piece::Call(class) => made::call(number, *class),
            Piece::Refused => made::refused(number, "refused"),
        };
        self.parts.iter().enumerate().map(part).collect()
    }

    fn tool(&self) -> ToolOutcome {
        match self.tool {
            0 => made::never_started(),
            1 => made::no_effect(),
            2 => made::unknown(UnknownReason::Died),
            3 => made::unknown(UnknownReason::Lost),
            4 => ToolOutcome::Finished { ok: false, output: Text::from(""), exit: Some(1), signal: None },
            5 => ToolOutcome::Adopted,
            _ => made::finished("done"),
        }
    }
}

fn play(scene: &mut Scene, number: usize, step: &Step) {
    match step {
        Step::Message(mode, name) => once(scene, &key("m", number, *name), |scene, key| scene.send(key, *mode)),
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
        Step::Takeover => scene.takeover(),
        Step::OldEpoch => scene.taken(scene.state.epoch().0),
        Step::Resume(name) => once(scene, &key("r", number, *name), Scene::resume),
        Step::Answer(approve, name) => {
            let answer = if *approve { Answer::Approve } else { Answer::Deny };
            once(scene, &key("a", number, *name), |scene, key| scene.answer(key, answer));
        }
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
    assert!(!known || scene.log.len() == before, "a repeat is not recorded");
}

fn repeat(scene: &mut Scene, number: usize) {
    let known = |key: &String| scene.state.seen.contains_key(&Key(key.clone()));
    let (message, resume) = (format!("m{number}"), format!("r{number}"));
    if known(&message) {
        once(scene, &message, Scene::message);
    } else if known(&resume) {
        once(scene, &resume, Scene::resume);
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

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_laws_hold_whatever_happens(
        policy in prop_oneof![2 => Just(ResumePolicy::Continue), 1 => Just(ResumePolicy::Ask), 1 => Just(ResumePolicy::Paused)],
        child in prop::bool::weighted(0.2),
        steps in steps(),
    ) {
        // The scene checks all laws when it is dropped.
        let mut scene = if child { Scene::child(policy) } else { Scene::with(policy) };
        for (number, step) in steps.iter().enumerate() {
            play(&mut scene, number, step);
        }
    }
}
