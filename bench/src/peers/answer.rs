//! What a peer's program says: that it began, and what it saw.

use crate::Result;
use serde::Deserialize;

/// A line of its standard output.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum Line {
    Answer(Answer),
    Began { began: bool },
}

/// What it saw, at its end.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Answer {
    pub(super) tasks: u32,
    pub(super) seconds: f64,
    /// Tasks that never ran, or were not there after they had been added.
    pub(super) missing: u32,
    /// Tasks that ran more than once, or were there more than once.
    pub(super) doubled: u32,
    pub(super) p50_us: Option<f64>,
    pub(super) p99_us: Option<f64>,
}

/// Reads a line. Whatever is not for us was printed by the peer's library and is none.
pub(super) fn parse(line: &str) -> Option<Line> {
    serde_json::from_str(line.trim()).ok()
}

impl Answer {
    pub(super) const fn is_once(&self) -> bool {
        self.missing == 0 && self.doubled == 0
    }

    /// Refuses what cannot be true: another number of tasks, more wrong ones than there are, or no time at all.
    pub(super) fn checked(self, tasks: u32) -> Result<Self> {
        let is_possible = self.tasks == tasks
            && self.missing <= tasks
            && self.seconds.is_finite()
            && self.seconds > 0.0
            && self.p50_us <= self.p99_us;
        if is_possible {
            Ok(self)
        } else {
            Err(format!("an impossible answer for {tasks} tasks: {self:?}").into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str =
        r#"{"tasks": 3, "seconds": 1.5, "missing": 0, "doubled": 0, "p50_us": 7, "p99_us": 9}"#;

    fn answer(line: &str) -> Answer {
        match parse(line) {
            Some(Line::Answer(answer)) => answer,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn check(answer: Answer, expected_once: Option<bool>) {
        assert_eq!(answer.checked(3).ok().map(|answer| answer.is_once()), expected_once, "{answer:?}");
    }

    #[test]
    fn lines_are_a_beginning_an_answer_or_nothing_of_ours() {
        assert_eq!(parse("{\"began\": true}\n"), Some(Line::Began { began: true }));
        assert_eq!(answer(ANSWER).p99_us, Some(9.0));
        assert_eq!(answer(r#"{"tasks":1,"seconds":1,"missing":0,"doubled":0}"#).p50_us, None);
        assert_eq!(parse(r#"{"tasks": 3, "seconds": 1.5}"#), None);
        assert_eq!(parse("a library says hello"), None);
    }

    #[test]
    fn only_tasks_that_were_all_seen_once_count_as_once() {
        let right = answer(ANSWER);
        check(right, Some(true));
        check(Answer { missing: 1, ..right }, Some(false));
        check(Answer { doubled: 1, ..right }, Some(false));
        check(Answer { missing: 1, doubled: 1, ..right }, Some(false));
    }

    #[test]
    fn an_answer_that_cannot_be_true_is_refused() {
        let right = answer(ANSWER);
        check(Answer { tasks: 2, ..right }, None);
        check(Answer { missing: 4, ..right }, None);
        check(Answer { seconds: 0.0, ..right }, None);
        check(Answer { seconds: f64::NAN, ..right }, None);
        check(Answer { p50_us: Some(10.0), ..right }, None);
    }
}
