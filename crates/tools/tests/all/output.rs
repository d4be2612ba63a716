//! Output while a command runs, and output without end.

use crate::desk::{ACTION, ATTEMPT, desk, finished, until, within};
use contract::limits::SPOOL_BYTES_MAX;
use contract::port::{RawOutcome, Tools};

#[tokio::test]
async fn output_is_shown_while_the_command_runs() {
    let desk = desk();
    let gate = desk.make_gate();
    // The first write ends inside a character.
    let started = desk.start(desk.job("printf 'a\\303'; read x < gate; printf '\\251\\033[1mb\\377'"));
    until("the first byte is shown", || (desk.frames.text() == "a").then_some(())).await;
    desk.open_gate(&gate).await;
    assert_eq!(within(started).await.unwrap(), finished(0, "aé\u{1b}[1mb\u{fffd}"));
    assert_eq!(desk.frames.text(), "aé\u{1b}[1mb\u{fffd}");
    let offsets: Vec<u64> = desk.frames.all().into_iter().map(|(offset, _)| offset).collect();
    assert_eq!(offsets.first(), Some(&0));
    assert!(offsets.is_sorted());
}

#[tokio::test]
async fn the_end_of_the_output_can_be_had_while_the_command_runs() {
    let desk = desk();
    let (gate, last_gate) = (desk.make_gate(), desk.make_gate_named("last_gate"));
    assert_eq!(within(desk.tools.tail(ACTION, ATTEMPT, 9)).await, None, "it keeps nothing");
    let started = desk.start(desk.job("echo > ready; read x < gate; echo first; echo second; read x < last_gate"));
    desk.until_file("ready").await;
    assert_eq!(within(desk.tools.tail(ACTION, ATTEMPT, 9)).await, Some(String::new()));
    desk.open_gate(&gate).await;
    until("the output is spooled", || (desk.output() == "first\nsecond\n").then_some(())).await;
    assert_eq!(within(desk.tools.tail(ACTION, ATTEMPT, 9)).await.unwrap(), "t\nsecond\n");
    assert_eq!(within(desk.tools.tail(ACTION, ATTEMPT, 99)).await.unwrap(), "first\nsecond\n");
    desk.open_gate(&last_gate).await;
    assert_eq!(within(started).await.unwrap(), finished(0, "first\nsecond\n"));
}

#[tokio::test]
async fn a_hundred_mebibytes_keep_their_head_and_their_tail() {
    const TOTAL: u64 = 100 * 1024 * 1024;
    let desk = desk();
    // Numbered lines of 16 bytes, so that every kept byte can be told from every other.
    let command = format!("seq -f '%015.0f' 0 {}", TOTAL / 16 - 1);
    let RawOutcome::Finished { ok: true, output, .. } = desk.run(&command).await else { panic!("it ended well") };
    let half = SPOOL_BYTES_MAX / 2;
    let lines = |from: u64, to: u64| (from..to).map(|line| format!("{line:015}\n")).collect::<String>();
    let mark = format!("\n[… {} bytes omitted …]\n", TOTAL - SPOOL_BYTES_MAX);
    let (head, rest) = output.split_at(usize::try_from(half).unwrap());
    assert!(head == lines(0, half / 16), "the head is the first half");
    assert!(rest.starts_with(&mark), "{:?}", &rest[..80]);
    assert!(rest[mark.len()..] == lines((TOTAL - half) / 16, TOTAL / 16), "the tail is the newest half");
    let last = within(desk.tools.tail(ACTION, ATTEMPT, 32)).await.unwrap();
    assert_eq!(last, lines(TOTAL / 16 - 2, TOTAL / 16));
    let on_disk: u64 = ["output", "tail"].iter().map(|name| std::fs::metadata(desk.in_spool(name)).unwrap().len()).sum();
    assert!(on_disk <= SPOOL_BYTES_MAX + 16, "{on_disk}");
    let exit: serde_json::Value = serde_json::from_str(&desk.exit_record()).unwrap();
    assert_eq!(exit["bytes"], TOTAL);
}
