//! Whatever reads bytes or text from outside, given what lies beside a valid input.
//!
//! Three laws hold for each: what is accepted has one form, so it comes back as it was; what is refused is refused with
//! a sentence that names it; and nothing panics. What only one crate can reach is tested there by the same laws:
//!
//! | from outside | read by | tested in |
//! |---|---|---|
//! | ids, streams, hashes | `contract/src/id.rs` | `parsers/ids.rs` |
//! | rules | `contract/src/rule.rs` | `parsers/rules.rs` |
//! | filters | `contract/src/filter.rs` | the same file |
//! | stored events of every version, and folding them | `contract/src/event.rs`, `upcast.rs`, `agent/src/fold` | `parsers/events.rs` |
//! | configurations of runs | `contract/src/config.rs` | `parsers/configs.rs` |
//! | rows of lists | `views` | `lists/totals.rs` |
//! | the file of lists, columns of the log, host locks, notices of the kernel | `journal` | `journal/tests/suite/views.rs`, the same files |
//! | scripts of the scripted model, and its place in a conversation | `models/src/script` | `models/tests/suite/scripts.rs` |
//! | streams of events from providers, what they say in them, lists of models | `models/src/stream`, `reader.rs` and a folder for each protocol | the same files, `models/src/spoilt_tests.rs` |
//! | arguments and paths of every tool, files that it reads, records of what it wrote | `tools/src/args.rs`, `place.rs`, `tool` | `tools/src/tool/tests.rs`, the same files |
//! | addresses of the web, pages | `web/src/address.rs`, `tools/src/page` | the same files |
//! | specifications, control lines, claims, exit records, output, `/proc` | `tools/src/supervise` | `tools/src/supervise/tests.rs`, the same files |
//! | what was printed on a terminal | `terminal/src/plain.rs` | the same file |
//! | live frames, bundles, the name of a machine | `throughline` | `throughline/src/live.rs`, `bundle/tests.rs`, `home.rs` |
//! | arguments, amounts, typed lines, text for a terminal | `thru/src` | `thru/src/args/any_argv_tests.rs`, `render/story.rs`, the same files |

mod configs;
mod events;
mod ids;
mod rules;
