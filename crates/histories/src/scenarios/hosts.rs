//! What a machine says of itself in its own stream.

use crate::writer::{Played, Writer, drafted, person};
use agent::Agent;
use contract::body::{Body, HostQuarantined, HostRecovered, HostStarted, HostStopped};
use contract::event::{Actor, Event, Trust};
use contract::id::{HostId, MachineId, StreamId};
use contract::machine::Machine;
use contract::units::{Time, Version};

/// What a host says of streams it cannot drive.
pub fn host(writer: &mut Writer) -> Played {
    let stopped = writer.state.stream.clone();
    let stream = StreamId::host(MachineId([0x22; 16]));
    let quarantined = |reason: &str| HostQuarantined { stream: stopped.clone(), version: Version(17), reason: reason.to_owned() };
    of_host(
        writer,
        &stream,
        vec![
            (Actor::System, Trust::System, quarantined("event run.finished at version 17 is illegal while that run is not open").into()),
            (Actor::User(person()), Trust::User, HostRecovered { stream: stopped.clone(), by: person() }.into()),
            (Actor::System, Trust::System, quarantined("the machine panicked").into()),
        ],
    );
    Ok(())
}

/// Processes that look after all sessions: one that ends, then more that die than a person lets pass, and one held back.
pub fn daemons(writer: &mut Writer) -> Played {
    let machine = MachineId([0x22; 16]);
    let started = |host: u8| (Actor::System, Trust::System, HostStarted { host: HostId([host; 16]) }.into());
    let stopped = |host: u8| (Actor::System, Trust::System, HostStopped { host: HostId([host; 16]) }.into());
    let released = HostRecovered { stream: StreamId::daemon(machine), by: person() };
    let mut bodies: Vec<(Actor, Trust, Body)> = vec![started(1), stopped(1)];
    bodies.extend((2..6).map(started));
    bodies.push((Actor::User(person()), Trust::User, released.into()));
    bodies.extend((6..10).map(started));
    of_host(writer, &StreamId::host(machine), bodies);
    Ok(())
}

/// Events of a machine's own stream, a millisecond apart.
fn of_host(writer: &mut Writer, stream: &StreamId, bodies: Vec<(Actor, Trust, Body)>) {
    writer.state = Agent::new(stream.clone());
    for (number, (actor, trust, body)) in (0..).zip(bodies) {
        let draft = drafted(stream, Version(number), actor, trust, body);
        writer.events.push(Event { version: Version(number + 1), time: Time(writer.now.0 + number), draft });
    }
}
