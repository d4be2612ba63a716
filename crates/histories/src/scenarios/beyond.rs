//! What reaches beyond one session: rules that count for good, and what everything together may cost.

use super::asks::{part, rich};
use crate::writer::{Played, Writer, calls, finished, person, reply};
use agent::Agent;
use agent::standing::{Said, Standing};
use contract::ask::{Answer, Grant};
use contract::body::{DaySpend, RuleSource};
use contract::call::{Class, Prepared, PreparedCall};
use contract::config::Options;
use contract::effect::Effect;
use contract::event::Event;
use contract::id::{AskId, Key, StreamId};
use contract::machine::Machine;
use contract::outcome::{DeliveryOutcome, ModelOutcome, Outcome, ReplyPart};
use contract::rule::{Rule, RuleEffect};
use contract::text::Text;
use contract::units::Time;

/// Calls that are allowed for good: once the rule arrives, once it is refused, and once its owner dies before.
pub fn always(writer: &mut Writer) -> Played {
    writer.create(Options::default(), None)?;
    writer.run("message-1")?;
    writer.reply(vec![part(rich(0))])?;
    writer.answer(Answer::Approve { grant: Grant::Always })?;
    deliver(writer, DeliveryOutcome::Finished)?;
    writer.tool(0, finished(true, Text::from("done"), Some(0), None))?;
    writer.say("Done.")?;
    writer.config.standing = vec![rule("mail(*)")?];
    writer.run("message-2")?;
    let other = Prepared { commands: vec!["git fetch".into()], network: true, ..Prepared::default() };
    writer.reply(vec![part(PreparedCall { prepared: Box::new(other), ..rich(0) })])?;
    writer.answer(Answer::Approve { grant: Grant::Always })?;
    writer.take()?;
    deliver(writer, DeliveryOutcome::Failed("1000 rules count already".into()))?;
    Ok(())
}

fn deliver(writer: &mut Writer, outcome: DeliveryOutcome) -> Played {
    let effects = Agent::effects(&writer.state);
    let place = effects.iter().position(|effect| matches!(effect, Effect::Deliver(_))).ok_or("nothing is to be delivered")?;
    writer.done(place, Outcome::Delivery(outcome))
}

/// A day that is spent, extended and spent again; and what a person is told before.
pub fn days(writer: &mut Writer) -> Played {
    writer.create(Options::default(), None)?;
    writer.config.warn_cost_micros = Some(1_000);
    writer.run("message-1")?;
    let day = |used, allowed| Outcome::Model(ModelOutcome::NotAdmitted(DaySpend { used, allowed }));
    writer.done(0, day(5_000_000, 5_000_000))?;
    writer.answer(Answer::Extend { amount: 1_000_000 })?;
    writer.done(0, Outcome::Model(ModelOutcome::Slow { waited_ms: 10_000 }))?;
    writer.done(0, reply(calls(&[Class::Pure]), Some(1_250)))?;
    writer.tool(0, finished(true, Text::from("seen"), Some(0), None))?;
    writer.done(0, day(6_000_000, 6_000_000))?;
    writer.answer(Answer::YES)?;
    writer.done(0, reply(vec![ReplyPart::Text(Text::from("Done."))], Some(1)))?;
    writer.run("message-2")?;
    writer.done(0, day(7_000_000, 5_000_000))?;
    writer.answer(Answer::NO)
}

fn rule(text: &str) -> Result<Rule, String> {
    Rule::parse(RuleEffect::Allow, text).map_err(|bad| bad.to_string())
}

/// The stream of rules that count for good: two are added, one of them in two folders, and both are
/// taken back in one.
pub fn standing(writer: &mut Writer) -> Played {
    let from = RuleSource { stream: writer.state.stream.clone(), ask: AskId([0x33; 16]) };
    writer.state = Agent::new(StreamId::policy());
    let add = |text: &str, folder: &str| Ok::<_, String>(Said::Add { rule: rule(text)?, folder: folder.to_owned(), from: from.clone() });
    let said = [
        add("shell+network(git push)", "/project")?,
        add("write_file(src/**)", "/project")?,
        add("write_file(src/**)", "/other")?,
        Said::Remove { rule: rule("write_file(src/**)")?, folder: "/project".into() },
        Said::Remove { rule: rule("shell+network(git push)")?, folder: "/project".into() },
    ];
    let mut standing = Standing::default();
    for (number, said) in (1..).zip(said) {
        let key = Key(format!("said-{number}"));
        let draft = standing.accept(&key, said, person()).map_err(|rejection| rejection.to_string())?;
        let event = Event { version: standing.version.next(), time: Time(writer.now.0 + number), draft };
        standing.fold(&event).map_err(|illegal| illegal.to_string())?;
        writer.events.push(event);
    }
    Ok(())
}
