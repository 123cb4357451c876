//! Payloads of a given size.

use crate::Result;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Letters and digits that need no quoting, in JSON or in SQL.
const WORDS: [&str; 16] = [
    "amount",
    "profile",
    "transfer",
    "2026",
    "eur",
    "pending",
    "customer",
    "17",
    "recipient",
    "gbp",
    "4711",
    "reference",
    "country",
    "created",
    "0",
    "verification",
];

/// The number of a task and as much text as it takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Padded<'a> {
    pub(crate) id: u32,
    pub(crate) pad: Cow<'a, str>,
}

/// A text of so many bytes that packs about as well as what services write: words by chance, the same each time.
pub(crate) fn pad(bytes: usize) -> String {
    let (mut text, mut seed) = (String::with_capacity(bytes + 16), 1_u32);
    while text.len() < bytes {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.push_str(WORDS[seed as usize >> 28]);
        text.push(' ');
        // A number now and then, as in identifiers.
        if seed & 0x0100_0000 != 0 {
            text.push_str(&(seed >> 8 & 0xffff).to_string());
            text.push(' ');
        }
    }
    text.truncate(bytes);
    text
}

/// The number in a padded payload, or in one that is nothing else.
pub(crate) fn number(payload: &str) -> Result<u32> {
    if payload.starts_with('{') {
        Ok(serde_json::from_str::<Padded<'_>>(payload)?.id)
    } else {
        Ok(payload.parse()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pad_has_its_size_and_survives_json() {
        assert_eq!(number("42").unwrap(), 42);
        for bytes in [0, 1, 2400, 1 << 20] {
            let padded = Padded { id: 7, pad: pad(bytes).into() };
            assert_eq!(padded.pad.len(), bytes);
            let text = serde_json::to_string(&padded).unwrap();
            assert!(text.len() < bytes + 30 && !text.contains('\''));
            assert_eq!(serde_json::from_str::<Padded<'_>>(&text).unwrap(), padded);
            assert_eq!(number(&text).unwrap(), 7);
        }
    }
}
