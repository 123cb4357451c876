//! Numbers as people read them.

use std::time::Duration;

/// With a comma after each three digits.
pub(super) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Two or three digits and a unit.
pub(super) fn short(time: Duration) -> String {
    let ms = time.as_millis();
    match ms {
        0 => format!("{} us", time.as_micros()),
        1..1_000 => format!("{ms} ms"),
        1_000..100_000 => format!("{:.1} s", time.as_secs_f64()),
        _ => format!("{} s", time.as_secs()),
    }
}

/// One task, two tasks.
pub(super) fn plural(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{} {one}s", grouped(n)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        let micros = [250, 1_999, 45_000, 1_260_000, 100_000_000].map(Duration::from_micros);
        assert_eq!(micros.map(short), ["250 us", "1 ms", "45 ms", "1.3 s", "100 s"]);
        assert_eq!([plural(1, "task"), plural(0, "task")], ["1 task", "0 tasks"]);
    }
}
