//! Texts of `--help`.

use crate::catalog::{Help, TalkHelp, WishHelp};

pub fn help(text: Help) -> &'static str {
    match text {
        Help::About => "Throughline: an agent whose work survives. Kill it at any instant; it goes on, loses nothing and repeats nothing.",
        Help::After => {
            "Data is kept in $THRU_HOME, else $XDG_DATA_HOME/throughline, else ~/.local/share/throughline.\n\n\
             Exit codes: 0 done, 1 failed, 2 usage, 3 configuration, 4 waiting for a person, 5 denied, 6 limit,\n\
             8 not found, 9 conflict, 70 bug, 130 stopped, 143 left by a signal.\n\n\
             Try it:\n  cp -r examples/workspace /tmp/first-job\n  \
             thru run --model script:examples/first-job.jsonl -C /tmp/first-job \"Count the words of the poem\""
        }
        Help::Run => "Give work to an agent and follow it until it is done",
        Help::RunAfter => {
            "Every step is stored before it happens. Kill it at any time: running commands go on, and\n\
             `thru resume --last` goes on from the log. Ctrl-C stops the work, a second one leaves.\n\
             Commands run in a sandbox: they change the working folder and nothing else, and have no network unless you\n\
             say yes to it. On a terminal you answer in place, and whatever you type while it works is said to it.\n\n\
             Examples:\n  thru run --model script:job.jsonl \"Count the words\"\n  \
             thru run --model script:job.jsonl --key nightly-7 \"Count the words\"   # the same key is the same job\n  \
             thru run --session ses_… \"And now the lines\"\n  thru run --json --model script:job.jsonl \"Count\" | jq .type\n\n\
             On a terminal the story is told line by line. With stdout piped, stdout holds the final answer only."
        }
        Help::Task => "What is to be done",
        Help::Model => {
            "Who does the work: PROVIDER/MODEL (openai, anthropic, deepseek, ark, openrouter, moonshot, qwen, zhipu, ollama), \
             an entry of config.toml, or script:FILE for a scripted one [default: what THRU_MODEL or config.toml says, else the \
             first provider with a key that answers, else a local Ollama]"
        }
        Help::BaseUrl => "Where that model is, if not where its provider usually is",
        Help::Fallback => "Who is asked when the model cannot answer; may be given several times, in order",
        Help::Folder => "Working folder of the tools",
        Help::Session => "A session, ses_…",
        Help::SessionFlag => "Go on with this session instead of starting one",
        Help::Key => "Names the job: the same key again finds the job and does not start it twice",
        Help::Json => {
            "Print canonical events as JSON lines; the last line is the outcome. With =deltas also the words of the model and the \
             output of commands as they come, each after the event that began it"
        }
        Help::JsonLines => "Print JSON, one object a line",
        Help::EmptyText => "the text says nothing",
        Help::Quiet => "Print the final answer only",
        Help::Resume => "Go on with a session that was killed, left or parked",
        Help::ResumeAfter => {
            "A command that is still running is adopted and its true exit code reported. A command that never began is\n\
             run once. A command that died unseen is reported as unknown and not run again. A paused session that another\n\
             process drives goes on there.\n\n\
             Examples:\n  thru resume --last\n  thru resume ses_… --json"
        }
        Help::Last => "The session that changed last",
        Help::Events => "Show what happened in a session, event by event",
        Help::EventsAfter => {
            "Examples:\n  thru events ses_…\n  thru events ses_… --from 12 --follow\n  thru events ses_… --json | jq 'select(.type==\"tool.finished\")'"
        }
        Help::From => "First version to show",
        Help::Follow => "Go on showing events as they come",
        Help::Verify => "Check that nothing stored was changed, lost or put in another order",
        Help::VerifyAfter => {
            "Checks the hash chain, the order and the meaning of every event, and every byte that it names, of one session or of\n\
             everything.\n\
             Exit code 1 names the first broken event.\n\nExamples:\n  thru verify\n  thru verify ses_…"
        }
    }
}

pub fn talk_help(text: TalkHelp) -> &'static str {
    match text {
        TalkHelp::Interrupt => "Stop the model and what runs in the foreground, then be heard",
        TalkHelp::Edit => "Say that message anew; EVENT is its number, and no model may have seen it",
        TalkHelp::Withdraw => "Take that message back; EVENT is its number, and no model may have seen it",
        TalkHelp::Approvals => "List what waits for your word, each with everything it is about",
        TalkHelp::ApprovalsAfter => "Examples:\n  thru approvals\n  thru approvals ses_…\n  thru approvals --json | jq .ask.ask",
        TalkHelp::Approve => "Say yes to what is asked",
        TalkHelp::ApproveAfter => {
            "What you approve is what runs, byte for byte, once, and within the hour. The first answer wins, wherever it comes\n\
             from; a message to the session overtakes what is asked about a call.\n\n\
             Examples:\n  thru approve ask_…\n  thru approve ask_… --scope session         # and equal calls of this session\n  \
             thru approve ask_… --scope always          # and of later ones in the same folder; see `thru policy list`\n  \
             thru approve ask_… --args '{\"command\":\"make test\"}'   # run this instead\n  \
             thru approve ask_… --amount 50000          # this much more of a limit"
        }
        TalkHelp::GrantScope => "For this call, also for equal calls of this session, or for those of later ones in its folder too",
        TalkHelp::EditArgs => "Run it with these arguments instead; they are checked like those of the model",
        TalkHelp::Amount => "How much more: a number of turns, tool calls or tokens, money as in 0.50, or time as in 10m",
        TalkHelp::AnswerKey => "The same key again is the same answer",
        TalkHelp::Ask => "What is asked, ask_…; `thru approvals` lists them",
        TalkHelp::DenyAsk => "Say no to what is asked",
        TalkHelp::DenyAfter => {
            "The agent is told, and goes on another way. No to going on, or to more of a limit, ends the work; out of turns, it\n\
             may still say what it has. Of an action whose outcome is unknown, no says that it did not happen.\n\n\
             Examples:\n  thru deny ask_…\n  thru deny ask_… \"Use the staging server\"\n  thru deny ask_… --stop"
        }
        TalkHelp::DenyText => "Why, for the agent",
        TalkHelp::DenyStop => "End the work too",
        TalkHelp::Stop => "Stop the work of a session, and say what was stopped",
        TalkHelp::StopAfter => {
            "The wish is durable when this returns. What runs gets SIGTERM and, five seconds later, SIGKILL, with all its\n\
             children.\n\nExamples:\n  thru stop ses_…\n  thru stop ses_… --scope all"
        }
        TalkHelp::StopScope => "turn = the model and what runs in the foreground, all = background processes too",
        TalkHelp::Pause => "Hold a session: what it has begun goes on, nothing else begins",
        TalkHelp::PauseAfter => "Examples:\n  thru pause ses_…\n  thru resume ses_…",
        TalkHelp::Send => "Say something to a session, also while another terminal runs it",
        TalkHelp::SendAfter => {
            "The message is durable when this returns. It says who will act on it, or how to resume the session when nobody\n\
             does. The model sees it at once, with a note about what still runs; tools that run go on. A message that begins\n\
             with ? asks how things stand and is answered from the log.\n\n\
             While something is asked: a bare yes or no (also y, ok, 确认, n, 取消 …) answers it when it is the only thing\n\
             asked; any text answers a question; any other text overtakes what is asked about a call.\n\n\
             Examples:\n  thru send ses_… \"Use the staging server\"\n  thru send ses_… --queue \"Then write a summary\"\n  \
             thru send ses_… --interrupt \"Wrong folder\"\n  thru send ses_… \"? how far is it\"\n  \
             thru send ses_… --edit 17 \"Use staging 2\""
        }
        TalkHelp::SendKey => "The same key again is the same message",
        TalkHelp::Text => "What you want to say",
        TalkHelp::Steer => "Enter the work that is going on (the default)",
        TalkHelp::Queue => "Wait for the work to end and become the next",
    }
}

pub fn wish_help(text: WishHelp) -> &'static str {
    match text {
        WishHelp::MaxTurns => "Model replies before it asks whether to go on [default: 150]",
        WishHelp::OnResume => "What the session does when it is opened again after its process died",
        WishHelp::Mode => {
            "What runs without asking: ask = only what looks, auto = all but high risk, full = everything; rules that deny always win"
        }
        WishHelp::Allow => "Allow calls without asking: TOOL or TOOL(PATTERN), * is any text, as in shell(git status*)",
        WishHelp::Deny => "Never allow calls: TOOL or TOOL(PATTERN); wins over everything else",
        WishHelp::OnUnknown => "Who says what became of an action that a crash left unknown: tell = the model looks, ask = you say",
        WishHelp::AskTimeout => "How long a question about a call waits for you, as in 90s, 10m, 2h, 1d [default: 7d]",
        WishHelp::MaxToolCalls => "Tool calls before you are asked",
        WishHelp::MaxTokens => "Tokens before you are asked",
        WishHelp::MaxCost => "Money before you are asked, in the unit of the model's prices",
        WishHelp::Timeout => "How long it may work before you are asked, as in 90s, 10m, 2h; waiting for you does not count",
        WishHelp::OnAsk => {
            "When you are needed: wait = stay, park = leave and wait in the log, deny = say no, but leave where only you can \
             say what became of an action [default: wait on a terminal, park otherwise]"
        }
        WishHelp::NoSandbox => "Let commands do whatever you may do yourself; each is asked about unless --mode or --allow says otherwise",
        WishHelp::BadDuration => "a length of time is a number with s, m, h or d, as in 90s",
        WishHelp::BadCount => "how many more is a whole number above zero",
        WishHelp::BadMoney => "an amount is a number above zero, as in 0.50",
    }
}
