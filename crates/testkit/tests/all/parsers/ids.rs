//! Names: each has one text, and nothing else is taken for it.

use contract::id::{ActionId, AskId, BadId, CallId, EventId, HostId, MachineId, MessageId, RunId, SessionId, Sha256, StreamId, TimerId};
use damage::damaged_text;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt::{Debug, Display};
use std::str::FromStr;

/// Texts at which every kind of name is held: near a valid one of some kind, or anything.
fn near_a_name() -> impl Strategy<Value = String> {
    let id = (prop::sample::select(vec!["evt_", "ses_", "run_", "msg_", "act_", "ask_", "tmr_", "hst_", "mac_"]), any::<[u8; 16]>())
        .prop_map(|(prefix, bytes)| EventId(bytes).to_string().replace(EventId::PREFIX, prefix));
    let call = any::<(u32, u16)>().prop_map(|(reply, index)| CallId { reply, index }.to_string());
    let digest = any::<[u8; 32]>().prop_map(|bytes| Sha256(bytes).to_string());
    let stream = any::<[u8; 16]>().prop_map(|bytes| StreamId::session(SessionId(bytes)).to_string());
    let name = prop_oneof![id, call, digest, stream, "[a-z]{1,4}/[A-Za-z0-9_-]{1,4}"].boxed();
    prop_oneof![2 => name.clone(), 4 => damaged_text(name), 1 => ".{0,40}"]
}

/// The laws of one kind of name for one text.
fn hold<T>(text: &str) -> Result<(), TestCaseError>
where
    T: FromStr<Err = BadId> + Display + Debug + PartialEq + Serialize + DeserializeOwned,
{
    let stored: Result<T, _> = serde_json::from_value(json!(text));
    match text.parse::<T>() {
        Ok(name) => {
            prop_assert_eq!(name.to_string(), text, "one name, one text");
            prop_assert_eq!(serde_json::to_value(&name).unwrap(), Value::from(text));
            prop_assert_eq!(stored.unwrap(), name);
        }
        Err(bad) => {
            prop_assert!(bad.to_string().contains(text) && bad.to_string().ends_with(bad.expected), "{}", bad);
            let refused = stored.map_err(|error| error.to_string());
            prop_assert!(refused.as_ref().is_err_and(|error| error.contains(bad.expected)), "stored, it is {:?}", refused);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_text_is_one_name_or_none(text in near_a_name()) {
        hold::<EventId>(&text)?;
        hold::<SessionId>(&text)?;
        hold::<RunId>(&text)?;
        hold::<MessageId>(&text)?;
        hold::<ActionId>(&text)?;
        hold::<AskId>(&text)?;
        hold::<TimerId>(&text)?;
        hold::<HostId>(&text)?;
        hold::<MachineId>(&text)?;
        hold::<CallId>(&text)?;
        hold::<Sha256>(&text)?;
        hold::<StreamId>(&text)?;
    }

    #[test]
    fn names_come_back_from_their_text(bytes: [u8; 16], digest: [u8; 32], reply: u32, index: u16) {
        let call = CallId { reply, index };
        prop_assert_eq!(call.to_string().parse(), Ok(call));
        prop_assert_eq!(ActionId(bytes).to_string().parse(), Ok(ActionId(bytes)));
        prop_assert_eq!(Sha256(digest).to_string().parse(), Ok(Sha256(digest)));
        let stream = StreamId::session(SessionId(bytes));
        prop_assert_eq!(stream.session_id(), Some(SessionId(bytes)));
        prop_assert_eq!(stream.to_string().parse(), Ok(stream));
    }
}

/// A name of a person is not limited in length; what is wrong with it is found without looking at it again and again.
#[test]
fn a_long_text_is_refused_in_one_pass() {
    for text in ["a".repeat(4 << 20), format!("call_{}_0", "1".repeat(4 << 20)), format!("ses_{}", "0".repeat(4 << 20))] {
        assert!(text.parse::<SessionId>().is_err() && text.parse::<CallId>().is_err() && text.parse::<StreamId>().is_err());
    }
}
