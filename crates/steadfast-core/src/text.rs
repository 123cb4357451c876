//! The check that every text a caller hands in must pass, whatever store keeps it.

use crate::error::Refusal;

/// Refuses text that is empty, longer than `bytes_max`, or holds a control character.
///
/// PostgreSQL cannot store NUL and the rest would forge log lines, so all stores refuse them alike.
pub(crate) fn check(what: &'static str, text: &str, bytes_max: usize) -> Result<(), Refusal> {
    if text.is_empty() {
        return Err(Refusal::Empty { what });
    }
    if text.len() > bytes_max {
        return Err(Refusal::TooLong { what, bytes: text.len(), bytes_max });
    }
    match text.char_indices().find(|(_, letter)| letter.is_control()) {
        Some((at, letter)) => Err(Refusal::ControlCharacter { what, letter, at }),
        None => Ok(()),
    }
}

/// Reads text from bytes that may not be UTF-8.
pub(crate) fn from_bytes<'a>(what: &'static str, bytes: &'a [u8]) -> Result<&'a str, Refusal> {
    std::str::from_utf8(bytes).map_err(|fault| Refusal::NotUtf8 { what, at: fault.valid_up_to() })
}

/// Cuts text to at most `bytes_max` bytes at a character border and makes it storable everywhere.
///
/// Reports from handlers (errors, progress, output) are never refused: a handler that failed must not fail
/// again for the way it said so.
pub(crate) fn trim(text: &str, bytes_max: usize) -> String {
    let end = (0..=bytes_max.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text[..end].replace('\0', "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_text(text: &str, expected: Result<(), &str>) {
        let seen = check("kind", text, 8).map_err(|refusal| refusal.to_string());
        assert_eq!(seen, expected.map_err(str::to_owned));
    }

    #[test]
    fn text_is_refused_with_the_reason() {
        check_text("mail", Ok(()));
        check_text("größe", Ok(()));
        check_text("", Err("kind is empty; give it at least one character"));
        check_text("123456789", Err("kind has 9 bytes, at most 8 are allowed; shorten it"));
        check_text("a\0b", Err("kind holds the control character '\\0' at byte 1; remove it"));
        check_text("a\nb", Err("kind holds the control character '\\n' at byte 1; remove it"));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused_with_their_place() {
        let refusal = from_bytes("key", b"ab\xff").unwrap_err();
        assert_eq!(refusal.to_string(), "key is not UTF-8 (byte 2); encode it as UTF-8");
    }

    #[test]
    fn trim_cuts_at_a_character_and_replaces_nul() {
        assert_eq!(trim("äöü", 3), "ä");
        assert_eq!(trim("a\0b", 10), "a\u{fffd}b");
    }
}
