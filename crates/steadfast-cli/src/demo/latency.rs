//! How long tasks waited, as quantiles.

use std::time::Duration;

/// Waits of one kind.
#[derive(Debug, Clone, Default)]
pub(super) struct Latency(Vec<Duration>);

/// What is shown of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quantiles {
    pub(super) p50: Duration,
    pub(super) p99: Duration,
}

impl Latency {
    pub(super) fn note(&mut self, waited: Duration) {
        self.0.push(waited);
    }

    /// None if nothing was noted.
    pub(super) fn quantiles(&self) -> Option<Quantiles> {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at =
            |percent: usize| sorted.get((sorted.len() * percent / 100).min(sorted.len().checked_sub(1)?));
        Some(Quantiles { p50: *at(50)?, p99: *at(99)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_of_what_was_noted() {
        let mut latency = Latency::default();
        assert_eq!(latency.quantiles(), None);
        (1..=1000).rev().for_each(|ms| latency.note(Duration::from_millis(ms)));
        let ms = Duration::from_millis;
        assert_eq!(latency.quantiles(), Some(Quantiles { p50: ms(501), p99: ms(991) }));
    }
}
