use crate::{NOW, legal, now_and, task};
use proptest::prelude::*;
use std::time::Duration;
use steadfast_core::limit::{REPORT_BYTES_MAX, TEXT_BYTES_MAX};
use steadfast_core::{
    Change, Hang, Kind, Outcome, Payload, Policy, Retention, Retry, Status, Task, Then, Time, To, When,
    decide, give_back, lost, overdue,
};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn every_outcome_has_its_end() {
    let policy = retrying(Retry::list([SECOND, 5 * SECOND]));
    let next = |when| Outcome::Next { step: None, kind: None, payload: None, when };
    let wait = |until| Outcome::Wait { until, payload: None };
    check(&policy, 1, Outcome::Done, "done 1/1/0");
    check(&policy, 1, next(When::Now), "ready 1/0/0");
    check(&policy, 1, next(When::After(9 * SECOND)), "waiting +9s 1/0/0");
    check(&policy, 1, next(When::At(now_and(8))), "waiting +8s 1/0/0");
    check(&policy, 1, next(When::At(Time::MIN)), "ready 1/0/0");
    check(&policy, 1, wait(When::Now), "ready 1/0/0");
    check(&policy, 1, wait(When::After(9 * SECOND)), "waiting +9s 1/0/0");
    check(&policy, 0, Outcome::Fail("no".into()), "error 1/1/0");
    check(&policy, 1, Outcome::Later { until: When::After(9 * SECOND) }, "parked +9s 1/1/0");
    check(&policy, 1, Outcome::Later { until: When::Now }, "parked +0s 1/1/0");
}

// M-29.
#[test]
fn a_retry_goes_by_the_policy_until_it_is_used_up() {
    let policy = retrying(Retry::list([SECOND, 5 * SECOND]));
    check(&policy, 0, Outcome::retry("boom"), "waiting +1s 1/1/0");
    check(&policy, 1, Outcome::retry("boom"), "waiting +5s 1/2/0");
    check(&policy, 2, Outcome::retry("boom"), "error 1/3/0");
    // A deploy made the list shorter than the failures there are.
    check(&policy, 9, Outcome::retry("boom"), "error 1/10/0");
    check(&retrying(Retry::none()), 0, Outcome::retry("boom"), "error 1/1/0");
    check(&retrying(Retry::immediate(1)), 0, Outcome::retry("boom"), "ready 1/1/0");
}

#[test]
fn a_handler_may_name_the_time_of_a_retry_but_not_more_of_them() {
    let policy = retrying(Retry::immediate(1));
    let retry = || Outcome::retry("boom").after(9 * SECOND);
    check(&policy, 0, retry(), "waiting +9s 1/1/0");
    check(&policy, 1, retry(), "error 1/2/0");
}

// M-13, M-14, M-15: the task that follows when the list of delays is used up, with retries of its own.
#[test]
fn used_up_retries_go_on_as_what_was_named_for_it() {
    let list = retrying(Retry::list([SECOND]));
    let or = |then: Outcome| Outcome::retry("boom").or_else(then);
    check(&list, 0, or(Outcome::kind("sorry")), "waiting +1s 1/1/0");
    check(&list, 1, or(Outcome::kind("sorry")), "ready 1/0/0");
    check(&list, 1, or(Outcome::step("sorry").after(9 * SECOND)), "waiting +9s 1/0/0");
    check(&list, 1, or(Outcome::Done), "done 1/2/0");
    check(&list, 1, or(Outcome::later(9 * SECOND)), "parked +9s 1/2/0");
    check(&retrying(Retry::none()), 0, or(Outcome::kind("sorry")), "ready 1/0/0");
    let mut policy = list;
    policy.then = Some(Then::Kind(Kind::new("sorry").unwrap()));
    check(&policy, 1, Outcome::retry("boom"), "ready 1/0/0");
    check(&policy, 1, or(Outcome::Done), "done 1/2/0");
    let task = Task { failures: 1, ..task(Status::Running) };
    assert_eq!(said(&task, &overdue(&task, &policy, 0)), "ready 1/0/0");
}

// M-15: the same task again would go round for ever.
#[test]
fn used_up_retries_do_not_begin_anew_at_the_same_place() {
    let policy = retrying(Retry::none());
    let task = Task { step: Some("here".into()), ..task(Status::Running) };
    let here = Outcome::Next {
        step: task.step.clone(),
        kind: Some(task.kind.clone()),
        payload: None,
        when: When::After(SECOND),
    };
    let rounds =
        [Outcome::step("here"), here, Outcome::wait(SECOND), Outcome::retry("again").or_else(Outcome::Done)];
    for then in rounds {
        let change = decide(&task, &policy, Outcome::retry("boom").or_else(then), None, 0);
        assert_eq!(said(&task, &change), "error 1/1/0");
    }
}

// M-30: what a failed run has found out is not lost.
#[test]
fn a_retry_keeps_its_payload_and_its_errors() {
    let policy = retrying(Retry::list([SECOND]));
    let mut row = task(Status::Running);
    let failed = || Outcome::retry("boom").with(&"found").or_else(Outcome::kind("sorry"));
    decide(&row, &policy, failed(), None, 0).apply(&mut row, NOW);
    assert_eq!(row.payload.as_ref().unwrap().bytes.as_ref(), b"\"found\"");
    row.payload = None;
    decide(&row, &policy, failed(), None, 0).apply(&mut row, NOW);
    assert_eq!((row.kind.as_str(), row.failures, row.errors.all().len()), ("sorry", 0, 2));
    assert_eq!(row.payload.unwrap().bytes.as_ref(), b"\"found\"");
    let mut row = task(Status::Running);
    let last = Outcome::retry("boom").or_else(Outcome::fail("for good"));
    decide(&row, &retrying(Retry::none()), last, None, 0).apply(&mut row, NOW);
    let texts: Vec<_> = row.errors.all().iter().map(|failure| failure.text.as_str()).collect();
    assert_eq!((row.status, texts), (Status::Error, vec!["boom", "for good"]));
}

// M-25: a result that says nothing is refused.
#[test]
fn what_cannot_be_said_is_a_failure_that_says_why() {
    let map = std::collections::BTreeMap::from([((1, 2), 3)]);
    for (outcome, why) in [
        (Outcome::Done.with(&1), "`done` cannot be kept: it takes no payload"),
        (Outcome::Done.after(SECOND), "`done` cannot be kept: it takes no delay of its own"),
        (Outcome::step("on").or_else(Outcome::Done), "`next` cannot be kept: only a retry has something"),
        (Outcome::step("on").with(&map), "`next` cannot be kept: payload of kind `next` cannot be written"),
        (Outcome::kind("").with(&1), "cannot go on as another kind: kind is empty"),
    ] {
        assert!(matches!(&outcome, Outcome::Fail(text) if text.contains(why)), "{outcome:?}");
    }
}

#[test]
fn another_kind_does_not_inherit_the_step() {
    let mut row = Task { step: Some("decide".into()), ..task(Status::Running) };
    decide(&row, &Policy::default(), Outcome::kind("pay"), None, 0).apply(&mut row, NOW);
    assert_eq!((row.kind.as_str(), row.step), ("pay", None));
}

#[test]
fn retries_from_the_original_time_do_not_add_up() {
    // The task was meant to run a minute ago.
    let policy = retrying(Retry::list([30 * SECOND, 90 * SECOND]).from_original());
    check(&policy, 0, Outcome::retry("boom"), "ready 1/1/0");
    check(&policy, 1, Outcome::retry("boom"), "waiting +30s 1/2/0");
}

#[test]
fn an_outcome_that_no_store_could_keep_is_a_failure_for_good() {
    let step = |step: &str| Outcome::step(step);
    let beyond = When::At(Time::from_micros(Time::MAX.micros() + 1));
    let before = When::At(Time::from_micros(-1));
    let refused = [
        (step(""), "step is empty; give it at least one character"),
        (step("a\nb"), "step holds the control character '\\n' at byte 1; remove it"),
        (step(&"x".repeat(TEXT_BYTES_MAX + 1)), "step has 251 bytes, at most 250 are allowed; shorten it"),
        (
            Outcome::Wait { until: before, payload: None },
            "time -1 µs since 1970 is out of range; use a time from 1970 to 9999",
        ),
        (
            Outcome::Later { until: beyond },
            "time 253402300800000000 µs since 1970 is out of range; use a time from 1970 to 9999",
        ),
        (
            Outcome::Retry { why: "boom".into(), after: Some(before), payload: None, then: None },
            "time -1 µs since 1970 is out of range; use a time from 1970 to 9999",
        ),
    ];
    for (outcome, why) in refused {
        let change = decide(&task(Status::Running), &Policy::default(), outcome, None, 0);
        assert_eq!(change.to, To::Error);
        let text = format!("the outcome was refused: {why}");
        assert_eq!(change.errors.unwrap().last(), Some(text.as_str()));
    }
}

#[test]
fn a_payload_over_the_limit_is_refused_by_the_outcome() {
    let wait = Outcome::Wait { until: When::Now, payload: Some(Payload::bytes(*b"12345")) };
    assert!(wait.check(5).is_ok());
    assert!(wait.check(4).unwrap_err().to_string().starts_with("payload of 5 bytes is over the limit of 4"));
}

#[test]
fn what_a_handler_says_is_carried_over() {
    let outcome = Outcome::Next {
        step: Some("two".into()),
        kind: Some(Kind::new("pay").unwrap()),
        payload: Some(Payload::bytes(*b"more")),
        when: When::Now,
    };
    let mut after = task(Status::Running);
    decide(&after, &Policy::default(), outcome, Some("seen".into()), 0).apply(&mut after, NOW);
    assert_eq!((after.step.as_deref(), after.kind.as_str()), (Some("two"), "pay"));
    assert_eq!((after.payload_len, after.output.as_deref()), (4, Some("seen")));
}

#[test]
fn a_report_is_cut_and_never_refused() {
    let output = "x".repeat(REPORT_BYTES_MAX + 1);
    let change = decide(&task(Status::Running), &Policy::default(), Outcome::Done, Some(output), 0);
    assert_eq!(change.output.unwrap().len(), REPORT_BYTES_MAX);
}

#[test]
fn done_keeps_what_the_policy_says() {
    for retention in [Retention::History, Retention::Bare, Retention::Delete] {
        let mut policy = Policy::default();
        policy.retention = retention;
        assert_eq!(decide(&task(Status::Running), &policy, Outcome::Done, None, 0).to, To::Done(retention));
    }
}

// U-06.
#[test]
fn a_lost_run_has_a_limit_of_its_own() {
    let mut policy = retrying(Retry::none());
    policy.lost_max = 3;
    for (before, expected) in [(0, "ready 1/0/1"), (1, "ready 1/0/2"), (2, "error 1/0/3")] {
        let task = Task { lost: before, ..task(Status::Running) };
        assert_eq!(said(&task, &lost(&task, &policy)), expected);
    }
}

#[test]
fn a_lost_run_of_at_most_once_never_runs_again() {
    let mut policy = Policy::default();
    policy.at_most_once = true;
    let task = task(Status::Running);
    assert_eq!(said(&task, &lost(&task, &policy)), "error 1/0/1");
    assert_eq!(said(&task, &overdue(&task, &policy, 0)), "error 1/1/0");
    assert_eq!(said(&task, &give_back(&task, &policy, true)), "error 1/0/0");
    assert_eq!(said(&task, &give_back(&task, &policy, false)), "ready 0/0/0");
}

// U-06, TP-02.
#[test]
fn a_run_past_its_deadline_is_a_failure_or_an_error() {
    let mut policy = retrying(Retry::list([SECOND]));
    for (status, why) in [(Status::Running, "deadline passed"), (Status::Parked, "not finished in time")] {
        let task = task(status);
        let change = overdue(&task, &policy, 0);
        assert_eq!(said(&task, &change), "waiting +1s 1/1/0");
        assert_eq!(change.errors.unwrap().last(), Some(why));
    }
    for (hang, expected) in [(Hang::Error, "error 1/1/0"), (Hang::Failed, "failed 1/1/0")] {
        policy.hang = hang;
        let task = task(Status::Running);
        assert_eq!(said(&task, &overdue(&task, &policy, 0)), expected);
    }
}

#[test]
fn a_run_that_may_hang_is_left_alone_and_a_parked_task_is_not() {
    let mut policy = retrying(Retry::list([SECOND]));
    let hour = Duration::from_secs(3600);
    assert!(!policy.lets_hang(&task(Status::Running)) && policy.deadline_for(hour) == hour);
    policy.hang = Hang::Ignore;
    assert!(policy.lets_hang(&task(Status::Running)) && !policy.lets_hang(&task(Status::Parked)));
    assert!(policy.deadline_for(hour) > 1000 * hour);
    assert_eq!(said(&task(Status::Parked), &overdue(&task(Status::Parked), &policy, 0)), "waiting +1s 1/1/0");
}

#[test]
fn a_run_that_is_given_back_does_not_count() {
    let task = task(Status::Running);
    for started in [false, true] {
        let change = give_back(&task, &Policy::default(), started);
        assert_eq!(said(&task, &change), "ready 0/0/0");
        assert_eq!(change.errors, None);
    }
}

fn any_when() -> impl Strategy<Value = When> {
    prop_oneof![
        Just(When::Now),
        (0u64..=u64::MAX).prop_map(|seconds| When::After(Duration::from_secs(seconds))),
        any::<i64>().prop_map(|micros| When::At(Time::from_micros(micros))),
    ]
}

fn any_outcome() -> impl Strategy<Value = Outcome> {
    let step = prop_oneof![Just(None), ".{0,3}".prop_map(Some)];
    let payload = prop_oneof![Just(None), Just(Some(Payload::bytes(*b"new")))];
    prop_oneof![
        Just(Outcome::Done),
        (step, payload.clone(), any_when()).prop_map(|(step, payload, when)| Outcome::Next {
            step,
            kind: None,
            payload,
            when
        }),
        (any_when(), payload).prop_map(|(until, payload)| Outcome::Wait { until, payload }),
        (any_when(), any::<bool>(), any_then()).prop_map(|(when, named, then)| Outcome::Retry {
            why: "boom".into(),
            after: named.then_some(when),
            payload: None,
            then: then.map(Box::new),
        }),
        Just(Outcome::Fail("no".into())),
        any_when().prop_map(|until| Outcome::Later { until }),
    ]
}

fn any_then() -> impl Strategy<Value = Option<Outcome>> {
    prop_oneof![
        Just(None),
        Just(Some(Outcome::Done)),
        Just(Some(Outcome::step("sorry"))),
        Just(Some(Outcome::kind("sorry"))),
        Just(Some(Outcome::retry("again"))),
    ]
}

fn any_policy() -> impl Strategy<Value = Policy> {
    let retry = prop_oneof![
        Just(Retry::none()),
        any::<u32>().prop_map(Retry::immediate),
        (any::<u64>(), any::<u32>())
            .prop_map(|(seconds, times)| Retry::fixed(Duration::from_secs(seconds), times)),
        (any::<u64>(), any::<u64>(), any::<u32>(), any::<u32>()).prop_map(|(first, cap, jitter, times)| {
            let (first, cap) = (Duration::from_secs(first), Duration::from_secs(cap));
            Retry::exponential(first, cap, times).jitter_percent(jitter)
        }),
    ];
    let hang = prop_oneof![Just(Hang::Retry), Just(Hang::Error), Just(Hang::Failed), Just(Hang::Ignore)];
    (retry, any::<bool>(), any::<bool>(), hang, any::<u32>()).prop_map(
        |(retry, original, at_most_once, hang, lost_max)| {
            let mut policy = retrying(if original { retry.from_original() } else { retry });
            policy.at_most_once = at_most_once;
            policy.hang = hang;
            policy.lost_max = lost_max;
            policy
        },
    )
}

fn any_task() -> impl Strategy<Value = Task> {
    (any::<[u32; 3]>(), any::<bool>()).prop_map(|([attempt, failures, lost], parked)| Task {
        attempt,
        failures,
        lost,
        ..task(if parked { Status::Parked } else { Status::Running })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_decision_is_legal_and_counts_upward(
        task in any_task(), policy in any_policy(), outcome in any_outcome(), seed in any::<u64>(),
    ) {
        // Parking is the running holder's word; everything else may also come by token.
        prop_assume!(task.status == Status::Running || !matches!(outcome, Outcome::Later { .. }));
        let goes_on = |outcome: &Outcome| matches!(outcome, Outcome::Next { .. } | Outcome::Wait { .. });
        let progress = goes_on(&outcome)
            || matches!(&outcome, Outcome::Retry { then: Some(then), .. } if goes_on(then));
        let change = decide(&task, &policy, outcome, None, seed);
        prop_assert_eq!(change.attempt, task.attempt);
        prop_assert_eq!(change.lost, task.lost);
        prop_assert!(change.failures >= task.failures || progress && change.failures == 0);
        check_legal(&task, &change);
    }

    #[test]
    fn every_sweep_is_legal_and_counts_upward(
        task in any_task(), policy in any_policy(), seed in any::<u64>(), started in any::<bool>(),
    ) {
        let (died, hung, back) =
            (lost(&task, &policy), overdue(&task, &policy, seed), give_back(&task, &policy, started));
        prop_assert_eq!((died.attempt, died.failures), (task.attempt, task.failures));
        prop_assert!(died.lost >= task.lost);
        prop_assert_eq!((hung.attempt, hung.lost), (task.attempt, task.lost));
        prop_assert!(hung.failures >= task.failures);
        prop_assert_eq!((back.failures, back.lost), (task.failures, task.lost));
        let counted = started && policy.at_most_once;
        prop_assert_eq!(back.attempt, if counted { task.attempt } else { task.attempt.saturating_sub(1) });
        for change in [died, hung, back] {
            check_legal(&task, &change);
        }
    }
}

/// The row after a change: a legal status, a time that can be kept, a new version, and a worker only if parked.
fn check_legal(task: &Task, change: &Change) {
    let mut after = task.clone();
    change.apply(&mut after, NOW);
    assert!(legal(task.status, after.status), "{} to {}", task.status, after.status);
    assert!((Time::MIN..=Time::MAX).contains(&after.due_at), "{:?}", after.due_at);
    assert!(after.version > task.version && after.grant == task.grant);
    assert_eq!(after.worker.is_some(), after.status.has_holder());
    assert_eq!(after.deadline_at, None);
}

/// Decides for a running task; the answer reads `status attempt/failures/lost`.
fn check(policy: &Policy, failures: u32, outcome: Outcome, expected: &str) {
    let task = Task { failures, ..task(Status::Running) };
    let what = format!("{outcome:?} after {failures} failures");
    let change = decide(&task, policy, outcome, None, 7);
    assert_eq!(said(&task, &change), expected, "{what}");
}

fn said(task: &Task, change: &Change) -> String {
    check_legal(task, change);
    let mut after = task.clone();
    change.apply(&mut after, NOW);
    let wait = match after.status {
        Status::Waiting | Status::Parked => format!(" +{}s", after.due_at.since(NOW).as_secs()),
        _ => String::new(),
    };
    format!("{}{wait} {}/{}/{}", after.status, after.attempt, after.failures, after.lost)
}

fn retrying(retry: Retry) -> Policy {
    let mut policy = Policy::default();
    policy.retry = retry;
    policy
}
