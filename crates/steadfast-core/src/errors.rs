//! What went wrong with a task, attempt by attempt.

use crate::limit::{ERROR_BYTES_MAX, ERRORS_MAX};
use crate::text;
use serde::{Deserialize, Serialize};

/// The failures kept beside a task: the last [`ERRORS_MAX`], oldest first.
///
/// Only the valid holder (or a sweep that takes the task from it) writes them, so the whole list goes with
/// the fenced write and nobody has to append.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Errors(Vec<Failure>);

/// One failed attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Which attempt.
    pub attempt: u32,
    /// What it said, cut to 4 KiB.
    pub text: String,
}

impl Errors {
    /// The list with one more failure; the oldest goes when it is full.
    #[must_use]
    pub fn with(&self, attempt: u32, text: &str) -> Self {
        let skipped = (self.0.len() + 1).saturating_sub(ERRORS_MAX);
        let failure = Failure { attempt, text: text::trim(text, ERROR_BYTES_MAX) };
        Self(self.0.iter().skip(skipped).cloned().chain([failure]).collect())
    }

    /// The failures, oldest first.
    pub fn all(&self) -> &[Failure] {
        &self.0
    }

    /// The text of the last failure.
    pub fn last(&self) -> Option<&str> {
        self.0.last().map(|failure| failure.text.as_str())
    }

    /// As stores keep it; none when there is nothing to keep.
    pub fn to_json(&self) -> Option<String> {
        // Numbers and strings always have a JSON form.
        (!self.0.is_empty()).then(|| serde_json::to_string(self).unwrap_or_default())
    }

    /// As stores kept it. Text that nobody could have written reads as one failure, so that nothing is lost.
    pub fn from_json(json: &str) -> Self {
        serde_json::from_str(json)
            .unwrap_or_else(|_| Self(vec![Failure { attempt: 0, text: json.to_owned() }]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_failure_goes_when_the_list_is_full() {
        let mut errors = Errors::default();
        for attempt in 1..=25 {
            errors = errors.with(attempt, "boom");
        }
        assert_eq!(errors.all().len(), ERRORS_MAX);
        assert_eq!(errors.all()[0].attempt, 6);
        assert_eq!(Errors::from_json(&errors.to_json().unwrap()), errors);
    }

    #[test]
    fn a_long_text_is_cut_and_foreign_text_is_kept() {
        let errors = Errors::default().with(1, &"x".repeat(ERROR_BYTES_MAX + 1));
        assert_eq!(errors.last().unwrap().len(), ERROR_BYTES_MAX);
        assert_eq!(Errors::from_json("by hand").last(), Some("by hand"));
    }
}
