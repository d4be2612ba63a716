//! Texts of `--help` of the commands about a session as a whole.

use crate::catalog::KeepHelp;

pub fn keep_help(text: KeepHelp) -> &'static str {
    match text {
        KeepHelp::Fork => "Begin a new session where another one was, and leave that one as it is",
        KeepHelp::ForkAfter => {
            "The new session knows everything up to that event, in the very words its model was shown. What was open there\n\
             stays with the other session: nothing of it runs, is asked or is stopped here, and the agent is told so. The\n\
             other one may go on running. Files are not copied: both work in the same folder.\n\
             With TEXT the new session starts at once; without, its name is printed and it waits.\n\n\
             Examples:\n  thru events ses_…                                  # find the event to branch off after\n  \
             thru fork ses_… --at 17 \"Try it without the cache\"\n  \
             id=$(thru fork ses_…) && thru run --session $id \"Now in Chinese\""
        }
        KeepHelp::ForkAt => "The last event that counts, by its number [default: the newest]",
        KeepHelp::ForkText => "What you say to the new session",
    }
}
