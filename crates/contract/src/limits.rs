//! Every limit on what people, models and tools can bring has a name, a unit and a reason here.

/// Events in one append, so that one call never holds the writer for long.
pub const APPEND_EVENTS_MAX: usize = 256;
/// Bytes in one append, so that a transaction stays in the page cache.
pub const APPEND_BYTES_MAX: usize = 1024 * 1024;
/// Bytes of a text inside an event, as stored; anything longer is a blob, so folding stays cheap.
pub const TEXT_INLINE_BYTES_MAX: usize = 8 * 1024;
/// Bytes kept of each end of a long text; together what a model is shown of a tool result (16 KiB).
pub const TEXT_END_BYTES_MAX: usize = 8 * 1024;
/// Bytes of a text of which one append may hold many, such as arguments: all of them together must fit.
pub const TEXT_SMALL_INLINE_BYTES_MAX: usize = 4 * 1024;
/// Bytes kept of each end of such a text; whoever needs more reads the blob.
pub const TEXT_SMALL_END_BYTES_MAX: usize = 1024;
/// Bytes of all paths, hosts and commands of one call; beyond this they are left out and no pattern matches the call.
pub const PREPARED_BYTES_MAX: usize = 4 * 1024;
/// Bytes of the name of a tool or of a provider's own name of a call.
pub const NAME_BYTES_MAX: usize = 256;
/// Parts of one reply; a reply with more is refused whole, because its events would not fit into one append.
pub const REPLY_PARTS_MAX: usize = 96;
/// Bytes of all facts of one reply, which must fit into one append beside what may stand before and after them.
pub const REPLY_BYTES_MAX: usize = 736 * 1024;
/// Bytes of facts after which further inputs wait for the next append.
pub const FACTS_BYTES_SOFT_MAX: usize = 128 * 1024;
/// Bytes of a blob stored as a row; larger ones are files, which the database would only fragment.
pub const BLOB_ROW_BYTES_MAX: usize = 256 * 1024;
/// Tools of one reply that run at the same time: enough to hide latency, few enough to watch.
pub const PARALLEL_TOOLS_MAX: usize = 8;
/// Commands in the background at the same time; stopping all of them must fit into one append.
pub const BACKGROUND_TOOLS_MAX: usize = 64;
/// Rounds of `advance` before a machine counts as broken: no legal state needs more than a few.
pub const ADVANCE_ROUNDS_MAX: usize = 32;
/// Model replies in one run before it asks whether to go on.
pub const TURNS_DEFAULT: u32 = 150;
/// Calls taken from one reply, so that a reply with the longest arguments still fits into one append.
pub const CALLS_PER_REPLY_MAX: usize = 24;
/// Owners in a row that ended without an outcome or an input before the session waits for a person.
pub const RECOVERIES_MAX: u8 = 3;
/// Starts of a daemon that ended without a stop before the next one takes nothing by itself.
pub const UNCLEAN_STARTS_MAX: usize = 3;
/// Milliseconds within which those starts count: what fails by itself fails again sooner than that.
pub const UNCLEAN_STARTS_WITHIN_MS: u64 = 10 * 60 * 1_000;
/// Attempts of one action; what failed so often to begin or to end would only fail again.
pub const ATTEMPTS_MAX: u16 = 5;
/// Retries of one request to one model; a provider that is down for longer is left to its fallback.
pub const MODEL_RETRIES_MAX: u16 = 3;
/// Milliseconds before the first retry of a model call, doubled for each further one.
pub const BACKOFF_FIRST_MS: u64 = 1_000;
/// Milliseconds before a retry at most, unless the provider asks for more.
pub const BACKOFF_LAST_MS: u64 = 30_000;
/// Milliseconds that a provider may ask to wait; what asks for more is as good as down.
pub const RETRY_AFTER_MS_MAX: u64 = 10 * 60 * 1_000;
/// Milliseconds without a word of a model after which a person is told: most answer within a few seconds.
pub const SLOW_CALL_MS_DEFAULT: u64 = 10_000;
/// Rules that count for good in all folders together: each call is held against those of its folder.
pub const STANDING_RULES_MAX: usize = 1_000;
/// Bytes of those of one folder, which every run in it is told of in one event.
pub const STANDING_BYTES_MAX: usize = 128 * 1024;
/// Failures of one model in a row after which it is not asked for a while.
pub const BREAKER_FAILURES_MAX: u32 = 5;
/// Milliseconds that such a model is left alone.
pub const BREAKER_OPEN_MS: u64 = 30_000;
/// Successes after which it is trusted again.
pub const BREAKER_CLOSING_SUCCESSES: u32 = 2;
/// Empty replies in a row before a run fails; the first gets a correction.
pub const EMPTY_REPLIES_MAX: u8 = 2;
/// Bytes of process output kept on disk, half from its head and half from its tail.
pub const SPOOL_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Milliseconds that another machine has to recover its own tool before it counts as unknown.
pub const OTHER_MACHINE_PATIENCE_MS: u64 = 60_000;
/// Milliseconds between the polite and the forced end of a process that must stop.
pub const STOP_GRACE_MS: u64 = 5_000;
/// Milliseconds in which an approval must be used: what was seen then may not hold much longer.
pub const APPROVAL_VALID_MS: u64 = 60 * 60 * 1_000;
/// Milliseconds that a person has to answer about a call, unless told otherwise: over a weekend and back.
pub const ASK_VALID_MS_DEFAULT: u64 = 7 * 24 * 60 * 60 * 1_000;
/// Milliseconds that a run waits for a command before it goes on in the background.
pub const PATIENCE_MS_DEFAULT: u64 = 600_000;
/// Milliseconds that it waits while a person's next message is queued behind it.
pub const PATIENCE_QUEUED_MS: u64 = 30_000;
/// Milliseconds that one call may wait at most: a week.
pub const WAIT_MS_MAX: u64 = 7 * 24 * 60 * 60 * 1_000;
/// Equal calls with equal results in a row after which the model is told that it repeats itself.
pub const REPEATS_CORRECTED: u32 = 3;
/// Equal calls with equal results in a row after which a person is asked.
pub const REPEATS_MAX: u32 = 5;
/// Tokens reserved for a reply of a model of which nobody knows more.
pub const OUTPUT_TOKENS_DEFAULT: u64 = 8_192;
/// Bytes of a request that count as one token in an estimate.
pub const TOKEN_BYTES: u64 = 4;
/// Bytes of the end of a running attempt's output that a note shows.
pub const OUTPUT_TAIL_BYTES_MAX: usize = 2 * 1024;
/// Files of which a session remembers what they held; an agent that works with more reads the others again.
pub const FILES_KNOWN_MAX: usize = 1_024;
/// Messages that may wait at once; more is a loop somewhere, not a person.
pub const INBOX_MAX: usize = 256;
/// Bytes of a message from a person; longer material belongs into a file.
pub const MESSAGE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Forks of forks that one session may stand on: each is read whenever it is folded.
pub const FORKS_DEEP_MAX: usize = 64;
