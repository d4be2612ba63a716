//! The names of what must hold, and the report of what did not.

macro_rules! invariants {
    ($($variant:ident = $name:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Invariant { $($variant,)* }

        impl Invariant {
            pub const ALL: &'static [Invariant] = &[$(Invariant::$variant,)*];

            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Invariant::$variant => $name,)* }
            }
        }
    };
}

invariants! {
    VersionsDense = "versions-dense";
    IdsUnique = "event-ids-unique";
    CauseIsEarlier = "every-cause-is-an-earlier-event";
    RunFinishesOnce = "run-finishes-once";
    RunIsOpen = "events-belong-to-the-open-run";
    AttemptEndsOnce = "attempt-ends-once";
    ActionEndsOnce = "action-ends-once";
    RunsAtMostOnce = "runs-at-most-once";
    StartedBeforeEffect = "started-before-effect";
    CancelledHadNoEffect = "a-cancelled-attempt-has-no-effect";
    OneProcess = "one-live-process-per-action";
    OwnerCommits = "only-the-owner-decides";
    FactIdStable = "a-fact-keeps-its-id";
    AckedIsStored = "acknowledged-is-stored";
    RefusedIsNotStored = "refused-is-not-stored";
    KeyOnce = "a-key-is-recorded-once";
    ResultOfAttempt = "result-belongs-to-its-attempt";
    ModelCallEndsOnce = "model-call-ends-once";
    SaidOnce = "a-reply-is-said-once";
    TranscriptValid = "transcript-valid";
    RequestProven = "request-matches-its-hash";
    RequestPrefix = "request-is-a-prefix-of-the-next";
    FoldEqualsLive = "fold-equals-live-state";
    ReachesRest = "reaches-rest";
    NeverEarly = "nothing-happens-before-its-time";
    WakesInTime = "an-owner-wakes-when-something-is-due";
    RestIsTrue = "stored-rest-is-that-of-the-state";
    Answered = "every-message-answered-or-waiting";
    ActionsEnd = "every-action-ends";
    NoStartAfterDenial = "no-start-after-denial";
    ParkedStartsNothing = "a-parked-session-starts-nothing";
    ParkedBeginsNothing = "a-parked-session-wants-only-what-it-began";
    WantedOrDone = "effects-are-exactly-what-is-open";
    HeldUntilAnswered = "a-held-call-starts-only-with-its-answer";
    ApprovalInTime = "an-approval-is-used-in-its-time";
    RunsAsApproved = "what-runs-is-what-was-approved";
    AskEndsOnce = "ask-ends-once";
    AnsweredInTime = "an-ask-is-answered-in-its-time";
    AnsweredAsSeen = "a-text-answers-only-what-was-seen";
    MessageOvertakes = "a-message-overtakes-the-asks-before-it";
    NoStartAfterStop = "nothing-starts-after-a-stop";
    StopsItsScope = "a-stop-ends-only-its-scope";
    StopEndsScope = "a-stop-ends-all-of-its-scope";
    InterruptFirst = "an-interrupt-ends-the-foreground-first";
    TimerEndsOnce = "timer-ends-once";
    NoteIsFinal = "a-note-is-final";
    LateOnce = "a-late-outcome-is-told-once";
    ShownOnce = "a-message-is-shown-once";
    StatusNotShown = "a-status-message-is-never-shown";
    RunFromMessage = "a-run-starts-from-a-waiting-message";
    NoStartPastMessage = "no-start-past-an-unseen-message";
    LastIsLast = "nothing-is-asked-after-the-last-reply";
    WithinLimits = "spend-stays-within-its-limits";
    DeliveredOnce = "what-is-delivered-arrives-once";
    ToldOnce = "a-warning-is-told-once-a-run";
}

#[derive(Clone, Debug)]
pub struct Violation {
    pub invariant: Invariant,
    pub detail: String,
}

impl Violation {
    #[must_use]
    pub fn new(invariant: Invariant, detail: impl Into<String>) -> Violation {
        Violation { invariant, detail: detail.into() }
    }
}

/// Fails with the invariant unless the claim holds.
pub fn hold(claim: bool, invariant: Invariant, detail: impl FnOnce() -> String) -> Result<(), Violation> {
    if claim { Ok(()) } else { Err(Violation::new(invariant, detail())) }
}
