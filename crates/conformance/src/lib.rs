//! What every implementation of the log must do, as one suite of tests.
//!
//! Owns the tests and the world they happen in; knows the contract and no implementation. One that wants to be tested
//! says how its hosts start and die ([`World`]) and calls [`suite!`] in its own test binary. [`damage_suite!`] and
//! [`process_suite!`] are for those whose storage can be damaged and whose hosts can be processes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed expectation is how a test fails")]

pub mod events;
pub mod journal;
mod losing;
pub mod process;
mod suite;
pub mod tape;
pub mod world;

pub use journal::{Journal, Loss};
pub use world::{Damage, Damageable, Host, Spawning, World};

/// The list of all tests, handed to another macro. A test that is missing here is dead code, which the compiler finds.
#[doc(hidden)]
#[macro_export]
macro_rules! every_test {
    ([$($then:tt)*] $($with:tt)*) => {
        $($then)*! {
            ($($with)*)
            append {
                a_call_in_the_wrong_place_conflicts,
                a_fence_needs_a_lease,
                a_fence_of_the_current_epoch_passes,
                a_new_stream_is_made_once,
                a_refused_call_stores_none_of_its_events,
                a_repeat_does_not_change_the_rest,
                a_repeat_is_found_behind_later_events,
                a_stale_fence_stores_nothing,
                almost_the_same_call_conflicts,
                an_append_without_events_is_refused,
                events_of_one_call_get_consecutive_versions,
                the_fence_is_checked_before_the_repeat,
                the_same_call_again_is_replayed,
            }
            blobs {
                a_blob_is_there_for_whoever_reads_the_event_that_names_it,
                a_blob_that_is_not_there_is_none,
                blobs_of_every_size_come_back,
            }
            filters {
                a_stream_is_followed_alone,
                every_filter_delivers_what_the_reference_says,
            }
            leases {
                a_lease_is_renewed_while_it_is_held,
                a_lease_of_a_dead_host_is_taken_at_once,
                a_lease_of_a_living_host_is_refused,
                a_lease_that_is_lost_is_not_renewed,
                a_released_lease_can_be_taken,
                a_taken_stream_fences_its_former_owner,
                epochs_only_grow,
                only_the_current_epoch_is_released,
                streams_have_leases_of_their_own,
            }
            limits {
                as_many_bytes_as_allowed_and_one_more,
                as_many_events_as_allowed_and_one_more,
            }
            races {
                hosts_that_try_again_lose_nothing,
                no_reader_sees_half_a_call,
                one_of_many_hosts_gets_the_lease,
                one_of_many_writers_wins_each_version,
                one_of_two_hosts_wins_each_version,
            }
            read {
                a_stream_that_is_not_there_is_empty,
                an_event_is_read_as_it_was_written,
                every_rest_is_kept,
                pages_follow_each_other_without_a_gap,
                streams_of_a_kind_come_latest_first,
                the_tail_is_that_of_the_last_append,
            }
            resting {
                a_repeat_and_a_refusal_leave_the_index_alone,
                pages_hold_every_stream_once,
                streams_are_found_by_how_they_rest,
                the_index_is_what_the_tails_say,
                the_next_one_due_comes_first,
            }
            subscribe {
                a_dropped_wait_loses_nothing,
                a_position_behind_the_end_is_refused,
                a_repeat_is_delivered_once,
                a_slow_subscriber_misses_nothing,
                a_subscription_begins_after_its_position,
                an_empty_log_is_caught_up_at_once,
                events_of_another_host_are_delivered,
                everything_comes_in_the_order_of_positions,
                it_goes_on_after_a_restart,
                large_events_come_whole,
                subscribers_of_racing_hosts_agree,
                the_end_is_told_each_time_it_is_reached,
                the_end_is_told_when_nothing_matched,
                what_is_delivered_is_what_is_read,
            }
            unknown {
                a_fence_is_checked_when_the_call_is_repeated,
                a_repeat_after_another_writer_tells_which_it_was,
                a_stored_call_without_an_answer_is_replayed,
                an_unstored_call_without_an_answer_is_stored_once,
            }
            watch {
                a_stream_is_watched_before_it_is_made,
                another_host_wakes_the_watcher,
                one_who_is_behind_does_not_wait,
                other_streams_wake_nobody,
            }
        }
    };
}

/// Tests that need a world whose storage can be damaged.
#[doc(hidden)]
#[macro_export]
macro_rules! every_damage_test {
    ([$($then:tt)*] $($with:tt)*) => {
        $($then)*! {
            ($($with)*)
            damage {
                a_lost_tail_is_found,
                a_missing_event_is_found,
                a_subscriber_is_told_of_damage_once_and_goes_on,
                other_bytes_are_found,
            }
        }
    };
}

/// Tests that need a world whose hosts can be processes.
#[doc(hidden)]
#[macro_export]
macro_rules! every_process_test {
    ([$($then:tt)*] $($with:tt)*) => {
        $($then)*! {
            ($($with)*)
            processes {
                a_killed_process_keeps_what_it_acknowledged,
                a_killed_process_loses_its_streams_at_once,
                a_process_hears_what_others_append,
                a_suspended_process_keeps_its_streams,
                one_of_many_processes_wins_each_version,
                processes_that_try_again_lose_nothing,
            }
        }
    };
}

/// Makes the suite tests of the world that the expression makes, a new one for each of them.
#[macro_export]
macro_rules! suite {
    ($world:expr) => {
        $crate::every_test! { [$crate::tests] $world }
    };
}

/// The same for what needs a [`Damageable`] world.
#[macro_export]
macro_rules! damage_suite {
    ($world:expr) => {
        $crate::every_damage_test! { [$crate::tests] $world }
    };
}

/// The same for what needs a [`Spawning`] world.
#[macro_export]
macro_rules! process_suite {
    ($world:expr) => {
        $crate::every_process_test! { [$crate::tests] $world }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! tests {
    (($world:expr) $($module:ident { $($test:ident,)* })*) => {
        $(mod $module {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $test() {
                $crate::all::$module::$test(&$world).await;
            })*
        })*
    };
}

macro_rules! exports {
    (() $($module:ident { $($test:ident,)* })*) => {
        $(pub mod $module {
            pub use crate::suite::$module::{$($test),*};
        })*
    };
}

/// The tests by their names, for the macros.
#[doc(hidden)]
pub mod all {
    every_test! { [exports] }
    every_damage_test! { [exports] }
    every_process_test! { [exports] }
}
