//! Where a page ended, as text that a caller can hand back.

use crate::error::Refusal;
use crate::id::TaskId;
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

/// The last task of a page; the next page starts behind it. Pages go by id, so by time of adding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor(pub TaskId);

/// Says which build wrote it, so that a change of order cannot misread old ones.
const MARK: &str = "a";

impl fmt::Display for Cursor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{MARK}{}", self.0.uuid().simple())
    }
}

impl FromStr for Cursor {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        text.strip_prefix(MARK)
            .filter(|hex| hex.len() == 32)
            .and_then(|hex| Uuid::try_parse(hex).ok())
            .map(|uuid| Self(TaskId::from_uuid(uuid)))
            .ok_or_else(|| Refusal::Cursor(text.chars().take(80).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cursor_comes_back(ms in 0u64..(1 << 47), random in any::<[u64; 2]>()) {
            let cursor = Cursor(TaskId::new(ms, random));
            prop_assert_eq!(cursor.to_string().parse::<Cursor>(), Ok(cursor));
        }

        #[test]
        fn any_other_text_is_refused_without_a_panic(text in ".*") {
            prop_assume!(text.len() != 33);
            let refused = matches!(text.parse::<Cursor>(), Err(Refusal::Cursor(_)));
            prop_assert!(refused);
        }
    }
}
