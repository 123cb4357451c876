//! Spans of time as people write them, read when the program is built.

use std::time::Duration;
use syn::LitStr;

const UNITS: [(&str, u64); 5] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

/// Reads `500ms`, `10s`, `5m`, `1h` or `2d`.
pub(crate) fn read(text: &LitStr) -> syn::Result<Duration> {
    let value = text.value();
    let digits = value.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = UNITS.iter().find(|(unit, _)| *unit == &value[digits.len()..]);
    let n = digits.parse::<u64>().ok();
    let millis = unit.zip(n).and_then(|((_, millis), n)| n.checked_mul(*millis));
    millis.map(Duration::from_millis).ok_or_else(|| {
        let text_of = format!("`{value}` is no span of time; write it as 500ms, 10s, 5m, 1h or 2d");
        syn::Error::new(text.span(), text_of)
    })
}
