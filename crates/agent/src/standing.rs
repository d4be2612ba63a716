//! The rules that people want to count in every session of a folder: the fold of `policy/user`, and what can be said to it.

use contract::body::{Body, PolicyRuleAdded, PolicyRuleRemoved, Principal, RuleSource};
use contract::event::{Actor, Draft, Event, Level, Trust};
use contract::id::{EventId, Key, StreamId};
use contract::input::Rejection;
use contract::limits::{STANDING_BYTES_MAX, STANDING_RULES_MAX};
use contract::machine::Illegal;
use contract::rule::Rule;
use contract::units::{Time, Version};
use serde::Serialize;
use std::collections::BTreeMap;

/// What can be said about standing rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Add { rule: Rule, folder: String, from: RuleSource },
    Remove { rule: Rule, folder: String },
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Standing {
    pub version: Version,
    /// Those that count, in log order.
    pub rules: Vec<StandingRule>,
    /// What was said before is not done again, also when it was undone since.
    seen: BTreeMap<Key, Version>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StandingRule {
    pub rule: Rule,
    /// Where it counts.
    pub folder: String,
    pub from: RuleSource,
    pub by: Principal,
    pub since: Time,
}

impl Standing {
    /// What counts for sessions that work in this folder.
    pub fn in_folder<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a StandingRule> {
        self.rules.iter().filter(move |standing| standing.folder == folder)
    }

    pub fn fold(&mut self, event: &Event) -> Result<(), Illegal> {
        let illegal = |state: String| Illegal { event: event.draft.body.name(), version: event.version, state };
        if event.version != self.version.next() {
            return Err(illegal(format!("the rules are at version {}", self.version)));
        }
        let key = if let Body::PolicyRuleAdded(added) = &event.draft.body {
            let PolicyRuleAdded { key, rule, folder, from, by } = added.clone();
            // Said again it counts no more than once, and is not done again after it was taken back.
            if self.place(&rule, &folder).is_none() {
                self.rules.push(StandingRule { rule, folder, from, by, since: event.time });
            }
            key
        } else if let Body::PolicyRuleRemoved(PolicyRuleRemoved { key, rule, folder, .. }) = &event.draft.body {
            let Some(place) = self.place(rule, folder) else { return Err(illegal("no such rule counts there".to_owned())) };
            self.rules.remove(place);
            key.clone()
        } else {
            return Err(illegal("these are standing rules".to_owned()));
        };
        self.version = event.version;
        self.seen.insert(key, event.version);
        Ok(())
    }

    /// The event that what was said leads to; `Known` when it was said before.
    pub fn accept(&self, key: &Key, said: Said, by: Principal) -> Result<Draft, Rejection> {
        if let Some(version) = self.seen.get(key) {
            return Err(Rejection::Known(*version));
        }
        let key = key.clone();
        let body: Body = match said {
            Said::Add { rule, folder, from } => {
                if self.place(&rule, &folder).is_none() {
                    self.check_room(&rule, &folder)?;
                }
                PolicyRuleAdded { key: key.clone(), rule, folder, from, by: by.clone() }.into()
            }
            Said::Remove { rule, folder } => {
                self.place(&rule, &folder).ok_or(Rejection::NoSuchRule)?;
                PolicyRuleRemoved { key: key.clone(), rule, folder, by: by.clone() }.into()
            }
        };
        Ok(Draft {
            id: EventId::of_input(&StreamId::policy(), &key, self.version),
            // What led to it stands in another stream, which the event names.
            cause: None,
            correlation: None,
            run: None,
            level: Level::Core,
            call: None,
            actor: Actor::User(by),
            trust: Trust::User,
            body,
        })
    }

    /// All rules of a folder stand in the first event of each of its runs.
    fn check_room(&self, rule: &Rule, folder: &str) -> Result<(), Rejection> {
        let bytes: usize = self.in_folder(folder).map(|standing| &standing.rule).chain([rule]).map(|rule| rule.to_string().len()).sum();
        if self.rules.len() >= STANDING_RULES_MAX || bytes > STANDING_BYTES_MAX {
            return Err(Rejection::TooManyRules { max: STANDING_RULES_MAX });
        }
        Ok(())
    }

    fn place(&self, rule: &Rule, folder: &str) -> Option<usize> {
        self.rules.iter().position(|standing| standing.rule == *rule && standing.folder == folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::id::AskId;
    use contract::rule::RuleEffect;

    fn add(rule: &str, folder: &str) -> Said {
        let from = RuleSource { stream: StreamId::parse("session/a").unwrap(), ask: AskId([1; 16]) };
        Said::Add { rule: Rule::parse(RuleEffect::Allow, rule).unwrap(), folder: folder.to_owned(), from }
    }

    fn remove(rule: &str, folder: &str) -> Said {
        Said::Remove { rule: Rule::parse(RuleEffect::Allow, rule).unwrap(), folder: folder.to_owned() }
    }

    fn say(standing: &mut Standing, key: &str, said: Said) -> Result<(), Rejection> {
        let draft = standing.accept(&Key(key.to_owned()), said, Principal("ann".to_owned()))?;
        standing.fold(&Event { version: standing.version.next(), time: Time(5), draft }).unwrap();
        Ok(())
    }

    fn counting(standing: &Standing, folder: &str) -> Vec<String> {
        standing.in_folder(folder).map(|standing| standing.rule.to_string()).collect()
    }

    #[test]
    fn a_rule_counts_in_its_folder_until_it_is_removed() {
        let mut standing = Standing::default();
        say(&mut standing, "a", add("shell(make)", "/one")).unwrap();
        say(&mut standing, "b", add("shell(make)", "/two")).unwrap();
        assert_eq!((counting(&standing, "/one"), counting(&standing, "/on")), (vec!["shell(make)".to_owned()], Vec::new()));
        say(&mut standing, "c", remove("shell(make)", "/one")).unwrap();
        assert_eq!((counting(&standing, "/one").len(), counting(&standing, "/two").len()), (0, 1));
        assert_eq!(say(&mut standing, "d", remove("shell(make)", "/one")), Err(Rejection::NoSuchRule));
    }

    #[test]
    fn what_was_said_before_changes_nothing() {
        let mut standing = Standing::default();
        say(&mut standing, "a", add("shell(make)", "/one")).unwrap();
        say(&mut standing, "b", add("shell(make)", "/one")).unwrap();
        assert_eq!(counting(&standing, "/one").len(), 1, "said twice, it counts once");
        say(&mut standing, "c", remove("shell(make)", "/one")).unwrap();
        for (key, version) in [("a", Version(1)), ("b", Version(2))] {
            assert_eq!(say(&mut standing, key, add("shell(make)", "/one")), Err(Rejection::Known(version)), "it was removed since");
        }
        assert_eq!(counting(&standing, "/one"), [""; 0]);
    }

    #[test]
    fn no_more_than_the_limit_count() {
        let mut standing = Standing::default();
        for number in 0..STANDING_RULES_MAX {
            say(&mut standing, &format!("k{number}"), add(&format!("shell(make {number})"), "/one")).unwrap();
        }
        let refused = || Err(Rejection::TooManyRules { max: STANDING_RULES_MAX });
        assert_eq!(say(&mut standing, "more", add("shell(make more)", "/one")), refused());
        let (mut standing, long) = (Standing::default(), "x".repeat(STANDING_BYTES_MAX / 2));
        say(&mut standing, "a", add(&format!("shell({long}a)"), "/one")).unwrap();
        assert_eq!(say(&mut standing, "b", add(&format!("shell({long}b)"), "/one")), refused(), "they would not fit into a run");
        say(&mut standing, "b", add(&format!("shell({long}b)"), "/two")).unwrap();
    }

    #[test]
    fn what_does_not_belong_here_or_follow_is_named() {
        let mut standing = Standing::default();
        let draft = standing.accept(&Key("a".to_owned()), add("shell(make)", "/one"), Principal("ann".to_owned())).unwrap();
        let later = Event { version: Version(2), time: Time(5), draft: draft.clone() };
        assert!(standing.fold(&later).unwrap_err().to_string().contains("at version"));
        let body = contract::body::HostStopped { host: contract::id::HostId([1; 16]) }.into();
        let other = Event { version: Version(1), time: Time(5), draft: Draft { body, ..draft } };
        assert_eq!(standing.fold(&other).unwrap_err().state, "these are standing rules");
    }
}
