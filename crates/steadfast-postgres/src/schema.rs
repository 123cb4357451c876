//! The name of the schema, put into the texts of the statements.

use std::borrow::Cow;
use steadfast_core::Refusal;

/// Leaves room for `.hints` in the name of the channel.
const BYTES_MAX: usize = 50;
/// How the texts name it.
const WRITTEN: &str = "steadfast.";

/// A schema's name that needs no quotes.
#[derive(Debug, Clone)]
pub(crate) struct Schema {
    name: String,
    /// What stands in the place of [`WRITTEN`]; none if it is the same.
    prefix: Option<String>,
}

impl Schema {
    /// Checks a name.
    pub(crate) fn new(name: &str) -> Result<Self, Refusal> {
        let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
        let starts = name.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '_');
        if !starts || !name.chars().all(is_plain) || name.len() > BYTES_MAX || name.starts_with("pg_") {
            return Err(Refusal::Config(format!(
                "schema `{name}` cannot be used; name it with at most {BYTES_MAX} lower-case letters, digits and \
                 underscores, not starting with a digit or pg_"
            )));
        }
        let prefix = format!("{name}.");
        Ok(Self { name: name.to_owned(), prefix: Some(prefix).filter(|prefix| prefix != WRITTEN) })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The channel on which workers hear of each other.
    pub(crate) fn channel(&self) -> String {
        format!("{}.hints", self.name)
    }

    /// A text that names the schema by itself.
    pub(crate) fn fill_alone(&self, text: &str) -> String {
        text.replace(&WRITTEN[..WRITTEN.len() - 1], &self.name)
    }

    /// A text as this schema's: the one place where SQL is put together.
    pub(crate) fn fill<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.prefix {
            Some(prefix) => Cow::Owned(text.replace(WRITTEN, prefix)),
            None => Cow::Borrowed(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_need_quotes_are_refused() {
        for name in ["", "1a", "Tasks", "a-b", "a b", "a\"b", "pg_tasks", &"a".repeat(51)] {
            let refusal = Schema::new(name).unwrap_err().to_string();
            assert!(refusal.contains("cannot be used; name it with"), "{refusal}");
        }
    }

    #[test]
    fn a_name_takes_the_place_of_ours() {
        let text = "select 1 from steadfast.task";
        assert_eq!(Schema::new("steadfast").unwrap().fill(text), text);
        assert_eq!(Schema::new("jobs_2").unwrap().fill(text), "select 1 from jobs_2.task");
        assert_eq!(Schema::new("my_steadfast").unwrap().fill(text), "select 1 from my_steadfast.task");
        assert_eq!(Schema::new("jobs_2").unwrap().channel(), "jobs_2.hints");
    }
}
