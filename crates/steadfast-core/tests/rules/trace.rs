use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use steadfast_core::{Fence, Grant, TaskId, TraceContext, WorkerId};

const GOOD: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

fn fence(task: u64, grant: i64, worker: u64) -> Fence {
    Fence {
        task: TaskId::new(1, [task, 2]),
        grant: Grant::from_i64(grant),
        worker: WorkerId::new(3, [worker, 4]),
    }
}

#[test]
fn what_the_standard_forbids_is_no_place_in_a_trace() {
    for text in [
        "",
        "00",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    ] {
        assert_eq!(TraceContext::parse(text), None, "{text}");
    }
}

#[test]
fn of_a_later_version_the_known_part_is_read() {
    let later = "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-fd-what-comes";
    assert_eq!(TraceContext::parse(later).unwrap().to_string(), GOOD);
}

#[test]
fn a_context_without_a_good_traceparent_has_no_trace() {
    let context = |text: &str| BTreeMap::from([("traceparent".to_owned(), text.to_owned())]);
    assert_eq!(TraceContext::of(&BTreeMap::new()), None);
    assert_eq!(TraceContext::of(&context("nonsense")), None);
    assert_eq!(TraceContext::of(&context(GOOD)), TraceContext::parse(GOOD));
}

#[test]
fn each_run_has_a_span_of_its_own_and_keeps_it() {
    let parent = TraceContext::parse(GOOD).unwrap();
    let mut spans = BTreeSet::from([parent.span_id()]);
    for (task, grant, worker) in [(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2)] {
        let run = parent.of_run(fence(task, grant, worker));
        assert_eq!(run, parent.of_run(fence(task, grant, worker)));
        assert_eq!((run.trace_id(), run.is_sampled()), (parent.trace_id(), true));
        assert!(spans.insert(run.span_id()), "task {task}, grant {grant}, worker {worker}");
    }
}

proptest! {
    #[test]
    fn a_place_in_a_trace_comes_back(trace in 1u128.., span in 1u64.., sampled: bool) {
        let place = TraceContext::new(trace, span, sampled).unwrap();
        let text = place.to_string();
        prop_assert_eq!(text.len(), 55);
        prop_assert_eq!(TraceContext::parse(&text), Some(place));
        prop_assert_eq!(place.is_sampled(), sampled);
    }

    #[test]
    fn any_text_is_read_or_ignored(text in ".*") {
        if let Some(place) = TraceContext::parse(&text) {
            prop_assert_eq!(TraceContext::parse(&place.to_string()), Some(place));
        }
    }

    #[test]
    fn a_good_one_with_a_letter_changed_is_read_as_written_or_ignored(at in 0..55usize, letter in "[ -~]") {
        let mut text = GOOD.to_owned();
        text.replace_range(at..=at, &letter);
        if let Some(place) = TraceContext::parse(&text) {
            // Version and unknown flags are ours again.
            prop_assert_eq!(&place.to_string()[3..53], &text[3..53]);
        }
    }
}
