//! Each planted fault is found, and the search says how it came about.

#![allow(clippy::expect_used, reason = "a test may panic")]

use stateright::{Checker, HasDiscoveries, Model};
use std::collections::BTreeSet;
use steadfast_model::{Fault, Protocol, story};

/// Searches until the rule is broken.
fn check(fault: Fault, rule: &'static str) {
    let wanted = HasDiscoveries::AnyOf(BTreeSet::from([rule]));
    let checker = Protocol::with(fault).checker().finish_when(wanted).spawn_bfs().join();
    let path = checker.discovery(rule).expect("a search that finds no planted fault shows nothing");
    println!("{fault:?} breaks \"{rule}\":\n{}", story(path));
}

#[test]
fn a_finish_without_its_grant_is_found() {
    check(Fault::FinishWithoutGrant, "only the newest grant writes");
}

#[test]
fn a_finish_without_its_worker_is_found() {
    check(Fault::FinishWithoutWorker, "only the newest grant writes");
}

#[test]
fn a_reap_by_event_is_found() {
    check(Fault::ReapByEvent, "when all is over, each task has ended");
}

#[test]
fn a_renew_after_death_is_found() {
    check(Fault::RenewAfterDead, "dead is final");
}

#[test]
fn an_attempt_as_fence_is_found() {
    check(Fault::AttemptAsFence, "only the newest grant writes");
}

#[test]
fn effects_without_a_finish_are_found() {
    check(Fault::EffectsWithoutFinish, "effects are committed with the end, once");
}

#[test]
fn a_repeated_add_after_the_end_is_found() {
    check(Fault::RepeatAfterDelete, "no task is added twice");
}

#[test]
fn a_reap_right_after_an_outage_is_found() {
    check(Fault::ReapAfterOutage, "an outage kills nobody");
}
