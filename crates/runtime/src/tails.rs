//! What running commands have printed, gathered when a person says something, so that the model can be told.

use crate::Ports;
use crate::text::store;
use agent::State;
use agent::state::{Attempt, Call};
use contract::input::{Input, OutputTail};
use contract::limits::OUTPUT_TAIL_BYTES_MAX;
use contract::text::Room;

/// The input, with the output of what runs on this machine beside a message.
pub(crate) async fn with_tails(ports: &Ports, state: &State, input: Input) -> Input {
    match input {
        Input::Message { key, text, mode, from, seen, .. } if mode.enters_run() => {
            Input::Message { key, text, mode, from, seen, tails: gather(ports, state).await }
        }
        other @ (Input::Create { .. }
        | Input::Message { .. }
        | Input::Withdraw { .. }
        | Input::Answer { .. }
        | Input::Edit { .. }
        | Input::Stop { .. }
        | Input::Pause { .. }
        | Input::Resume { .. }
        | Input::Taken { .. }
        | Input::Done { .. }) => other,
    }
}

async fn gather(ports: &Ports, state: &State) -> Vec<OutputTail> {
    let mut tails = Vec::new();
    // The model hears of what it was told of already when that has ended.
    for (call, attempt) in state.calls.values().filter(|call| !call.deferred).filter_map(|call| running_here(ports, call)) {
        let printed = ports.tools.tail(call.action, attempt.number, OUTPUT_TAIL_BYTES_MAX).await;
        // Without its output the note says only since when it runs.
        let Some(printed) = printed else { continue };
        if let Ok(output) = store(ports.blobs.as_ref(), printed, Room::SMALL).await {
            tails.push(OutputTail { action: call.action, attempt: attempt.number, output });
        }
    }
    tails
}

fn running_here<'a>(ports: &Ports, call: &'a Call) -> Option<(&'a Call, &'a Attempt)> {
    let attempt = call.attempt().filter(|attempt| attempt.machine == ports.place.machine)?;
    Some((call, attempt))
}
