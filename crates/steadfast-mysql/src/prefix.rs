//! The beginning of our tables' names, put into the texts of the statements.

use std::borrow::Cow;
use steadfast_core::Refusal;

/// Leaves room for the rest of the longest name.
const BYTES_MAX: usize = 40;
/// How the texts have it.
const WRITTEN: &str = "steadfast_";

/// A prefix that needs no quotes.
#[derive(Debug, Clone)]
pub(crate) struct Prefix(String);

impl Prefix {
    /// Checks a prefix.
    pub(crate) fn new(prefix: &str) -> Result<Self, Refusal> {
        let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
        let starts = prefix.starts_with(|letter: char| letter.is_ascii_lowercase());
        if !starts || !prefix.ends_with('_') || !prefix.chars().all(is_plain) || prefix.len() > BYTES_MAX {
            return Err(Refusal::Config(format!(
                "prefix `{prefix}` cannot be used; make it of at most {BYTES_MAX} lower-case letters, digits and \
                 underscores, starting with a letter and ending with an underscore"
            )));
        }
        Ok(Self(prefix.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// A text with this prefix: the one place where SQL is put together.
    pub(crate) fn fill<'a>(&self, text: Cow<'a, str>) -> Cow<'a, str> {
        if self.0 == WRITTEN { text } else { Cow::Owned(text.replace(WRITTEN, &self.0)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_that_would_need_quotes_are_refused() {
        for prefix in
            ["", "_", "1a_", "Tasks_", "a-b_", "a b_", "a`b_", "tasks", &format!("{}_", "a".repeat(40))]
        {
            let refusal = Prefix::new(prefix).unwrap_err().to_string();
            assert!(refusal.contains("cannot be used; make it of"), "{refusal}");
        }
    }

    #[test]
    fn a_prefix_takes_the_place_of_ours() {
        let fill =
            |prefix| Prefix::new(prefix).unwrap().fill("select 1 from steadfast_task".into()).into_owned();
        assert_eq!(fill("steadfast_"), "select 1 from steadfast_task");
        assert_eq!(fill("jobs_2_"), "select 1 from jobs_2_task");
        assert_eq!(fill("my_steadfast_"), "select 1 from my_steadfast_task");
    }
}
