//! The protocol as it is, searched whole: every order of events, scene by scene.

#![allow(clippy::expect_used, reason = "a test may panic")]

#[allow(unreachable_pub, reason = "the testkit's own, which would bring all stores along")]
#[path = "../../steadfast-testkit/src/shown.rs"]
mod shown;

use shown::Shown;
use stateright::{Checker, Model};
use std::collections::HashSet;
use std::time::Instant;
use steadfast_model::{Protocol, Scene, State};

fn check(scene: Scene, states_min: usize) {
    let started = Instant::now();
    let checker = Protocol::new(scene).checker().threads(2).spawn_bfs().join();
    let (states, steps, took) = (checker.unique_state_count(), checker.max_depth(), started.elapsed());
    checker.assert_properties();
    Shown {
        promise: "the protocol itself",
        store: "all",
        done: format!("every order of events of the scene {}, at most {steps} steps", scene.name),
        seen: format!("{states} states searched whole in {took:.1?}, broken rules 0"),
        bar: format!("at least {states_min} states, 0"),
        ok: states >= states_min,
    }
    .hold();
}

#[test]
fn runs_are_taken_over_safely() {
    check(Scene::TAKEOVER, 1_000_000);
}

#[test]
fn hints_may_come_at_any_time() {
    check(Scene::HINTS, 10_000);
}

#[test]
fn a_dead_workers_tasks_end_elsewhere() {
    check(Scene::CRASH, 10_000);
}

#[test]
fn an_outage_costs_only_time() {
    check(Scene::OUTAGE, 10_000);
}

#[test]
fn a_failover_repeats_no_effect() {
    check(Scene::FAILOVER, 10_000);
}

#[test]
fn an_add_is_there_once_whatever_became_of_its_reply() {
    check(Scene::ADDING, 10_000);
}

/// Whether any story from here comes back to where it was. Stories are short, so the stack is deep enough.
fn goes_in_circles(
    model: &Protocol,
    state: &State,
    above: &mut Vec<State>,
    known: &mut HashSet<State>,
) -> bool {
    if above.contains(state) {
        return true;
    }
    if !known.insert(state.clone()) {
        return false;
    }
    above.push(state.clone());
    let circle = model.next_states(state).iter().any(|next| goes_in_circles(model, next, above, known));
    above.pop();
    circle
}

// Without this, "when all is over" would say nothing of stories that never are.
#[test]
fn every_story_has_an_end() {
    for scene in [Scene::ADDING, Scene::HINTS, Scene::FAILOVER] {
        let model = Protocol::new(scene);
        let mut known = HashSet::new();
        let start = model.init_states();
        assert!(!start.iter().any(|state| goes_in_circles(&model, state, &mut Vec::new(), &mut known)));
        println!("{}: no circle in {} states", scene.name, known.len());
    }
}
