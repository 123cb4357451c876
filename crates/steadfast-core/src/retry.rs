//! When a failed task is tried again.

use crate::error::Refusal;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The longest delay: a year is a mistake in a factor, not a wish.
const DELAY_MAX: Duration = Duration::from_secs(366 * 24 * 3600);

/// Delays by the number of failures since the task last made progress.
///
/// ```
/// use std::time::Duration;
/// use steadfast_core::Retry;
/// let retry = Retry::list([1, 5, 30].map(Duration::from_secs));
/// assert_eq!(retry.delay(2, 0), Some(Duration::from_secs(5)));
/// assert_eq!(retry.delay(4, 0), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    delays: Delays,
    #[serde(default)]
    base: Base,
}

/// From when a delay counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Base {
    /// From the failure.
    #[default]
    Now,
    /// From the time the task was first meant to run, so that delays do not add up.
    Original,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Delays {
    None,
    Immediate { times: u32 },
    Fixed { every: Duration, times: u32 },
    List(Vec<Duration>),
    Exponential(Exponential),
    First(Vec<Retry>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Exponential {
    first: Duration,
    /// In hundredths, so that policies compare and hash exactly.
    factor_percent: u32,
    cap: Duration,
    /// How much of the delay is left to chance, in hundredths.
    jitter_percent: u32,
    times: u32,
}

impl Retry {
    /// Never again: the first failure ends in `error`.
    pub const fn none() -> Self {
        Self { delays: Delays::None, base: Base::Now }
    }

    /// At once, so many times.
    pub const fn immediate(times: u32) -> Self {
        Self { delays: Delays::Immediate { times }, base: Base::Now }
    }

    /// After the same delay, so many times.
    pub const fn fixed(every: Duration, times: u32) -> Self {
        Self { delays: Delays::Fixed { every, times }, base: Base::Now }
    }

    /// After these delays, one for each failure.
    pub fn list(delays: impl IntoIterator<Item = Duration>) -> Self {
        Self { delays: Delays::List(delays.into_iter().collect()), base: Base::Now }
    }

    /// Doubling from `first` up to `cap`, a fifth of it by chance, so many times.
    pub const fn exponential(first: Duration, cap: Duration, times: u32) -> Self {
        let delays = Exponential { first, factor_percent: 200, cap, jitter_percent: 20, times };
        Self { delays: Delays::Exponential(delays), base: Base::Now }
    }

    /// The first of these that still has a delay for the failure.
    pub fn first(of: impl IntoIterator<Item = Self>) -> Self {
        Self { delays: Delays::First(of.into_iter().collect()), base: Base::Now }
    }

    /// With another factor, in hundredths (200 doubles). Only an exponential policy has one.
    #[must_use]
    pub fn factor_percent(mut self, factor_percent: u32) -> Self {
        if let Delays::Exponential(delays) = &mut self.delays {
            delays.factor_percent = factor_percent;
        }
        self
    }

    /// With another number of tries. A list has at most as many as it has delays; of several, each is cut.
    #[must_use]
    pub fn times_max(mut self, n_max: u32) -> Self {
        match &mut self.delays {
            Delays::None => {}
            Delays::Immediate { times } | Delays::Fixed { times, .. } => *times = n_max,
            Delays::Exponential(delays) => delays.times = n_max,
            Delays::List(delays) => delays.truncate(n_max as usize),
            Delays::First(of) => {
                *of = std::mem::take(of).into_iter().map(|retry| retry.times_max(n_max)).collect();
            }
        }
        self
    }

    /// With another share of chance, in hundredths (0 for none). Only an exponential policy has one.
    #[must_use]
    pub fn jitter_percent(mut self, jitter_percent: u32) -> Self {
        if let Delays::Exponential(delays) = &mut self.delays {
            delays.jitter_percent = jitter_percent;
        }
        self
    }

    /// Counted from the task's original time instead of from the failure.
    #[must_use]
    pub const fn from_original(mut self) -> Self {
        self.base = Base::Original;
        self
    }

    /// From when the delays count.
    pub const fn base(&self) -> Base {
        self.base
    }

    /// The delay after the `failures`-th failure (1 is the first); none when the retries are used up.
    ///
    /// The same seed gives the same delay.
    pub fn delay(&self, failures: u32, seed: u64) -> Option<Duration> {
        let index = failures.checked_sub(1)?;
        let delay = match &self.delays {
            Delays::None => None,
            Delays::Immediate { times } => (index < *times).then_some(Duration::ZERO),
            Delays::Fixed { every, times } => (index < *times).then_some(*every),
            Delays::List(delays) => delays.get(index as usize).copied(),
            Delays::Exponential(delays) => (index < delays.times).then(|| delays.at(index, seed)),
            Delays::First(of) => of.iter().find_map(|retry| retry.delay(failures, seed)),
        };
        delay.map(|delay| delay.min(DELAY_MAX))
    }

    /// How many failures have a delay.
    pub fn times(&self) -> u32 {
        match &self.delays {
            Delays::None => 0,
            Delays::Immediate { times } | Delays::Fixed { times, .. } => *times,
            Delays::List(delays) => u32::try_from(delays.len()).unwrap_or(u32::MAX),
            Delays::Exponential(delays) => delays.times,
            Delays::First(of) => of.iter().map(Self::times).max().unwrap_or(0),
        }
    }

    pub(crate) fn check(&self) -> Result<(), Refusal> {
        match &self.delays {
            Delays::Exponential(delays) if delays.factor_percent < 100 => Err(Refusal::Config(format!(
                "retry factor of {} % would shorten the delays; use 100 or more",
                delays.factor_percent
            ))),
            Delays::Exponential(delays) if delays.jitter_percent > 100 => Err(Refusal::Config(format!(
                "retry jitter of {} % is over 100; use 0 to 100",
                delays.jitter_percent
            ))),
            Delays::First(of) => of.iter().try_for_each(Self::check),
            _ => Ok(()),
        }
    }
}

/// Ten more tries over a quarter of an hour: long enough for a deploy, short enough to hear of it the same day.
impl Default for Retry {
    fn default() -> Self {
        Self::exponential(Duration::from_secs(1), Duration::from_secs(600), 10)
    }
}

impl Exponential {
    fn at(&self, index: u32, seed: u64) -> Duration {
        let factor = f64::from(self.factor_percent) / 100.0;
        let exponent = i32::try_from(index).unwrap_or(i32::MAX);
        let grown = self.first.as_secs_f64() * factor.powi(exponent);
        let capped = grown.min(self.cap.min(DELAY_MAX).as_secs_f64());
        let chance = f64::from(self.jitter_percent) / 100.0 * unit(seed);
        // A policy that was never checked may leave more than all of it to chance.
        Duration::from_secs_f64(capped * (1.0 - chance).max(0.0))
    }
}

/// A number from 0 to 1 made of a seed.
fn unit(seed: u64) -> f64 {
    // SplitMix64, so that neighbouring seeds give unrelated delays.
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    f64::from(u32::try_from((mixed ^ (mixed >> 31)) >> 32).unwrap_or(0)) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(retry: &Retry, expected_ms: &[Option<u64>]) {
        let seen: Vec<_> = (1..)
            .take(expected_ms.len())
            .map(|failures| retry.delay(failures, 7).map(|delay| u64::try_from(delay.as_millis()).unwrap()))
            .collect();
        assert_eq!(seen, expected_ms);
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn each_policy_gives_its_delays_and_ends() {
        check(&Retry::none(), &[None]);
        check(&Retry::immediate(2), &[Some(0), Some(0), None]);
        check(&Retry::fixed(SECOND, 2), &[Some(1000), Some(1000), None]);
        check(&Retry::list([SECOND, 3 * SECOND]), &[Some(1000), Some(3000), None]);
        let doubling = Retry::exponential(SECOND, 5 * SECOND, 5).jitter_percent(0);
        check(&doubling, &[Some(1000), Some(2000), Some(4000), Some(5000), Some(5000), None]);
        let mixed = Retry::first([Retry::immediate(1), Retry::fixed(SECOND, 3)]);
        check(&mixed, &[Some(0), Some(1000), Some(1000), None]);
    }

    #[test]
    fn another_number_of_tries_leaves_the_delays() {
        let mixed = Retry::first([Retry::immediate(9), Retry::list([SECOND, SECOND, 3 * SECOND])]);
        check(&mixed.times_max(2), &[Some(0), Some(0), None]);
        check(&Retry::list([SECOND, 3 * SECOND]).times_max(9), &[Some(1000), Some(3000), None]);
        check(&Retry::fixed(SECOND, 9).times_max(1), &[Some(1000), None]);
        assert_eq!((Retry::default().times_max(3).times(), Retry::none().times_max(3).times()), (3, 0));
    }

    // U-01: TwTasks' policy, whose power overflows at the 200th try.
    #[test]
    fn a_delay_too_large_to_count_is_the_cap() {
        let day = Duration::from_secs(24 * 3600);
        let retry = Retry::exponential(5 * SECOND, day, 300).jitter_percent(0);
        assert_eq!(retry.delay(1, 0), Some(5 * SECOND));
        assert_eq!(retry.delay(2, 0), Some(10 * SECOND));
        assert_eq!(retry.delay(200, 0), Some(day));
        assert_eq!(
            Retry::exponential(SECOND, Duration::MAX, u32::MAX).delay(u32::MAX, 0).unwrap(),
            DELAY_MAX.mul_f64(1.0 - 0.2 * unit(0))
        );
    }

    #[test]
    fn jitter_takes_at_most_its_share_and_follows_the_seed() {
        let retry = Retry::exponential(SECOND, SECOND, 1);
        let mut seen: Vec<_> = (0..1000).map(|seed| retry.delay(1, seed).unwrap()).collect();
        assert_eq!(seen[0], retry.delay(1, 0).unwrap());
        seen.sort();
        assert!(seen[0] >= Duration::from_millis(800) && seen[999] <= SECOND);
        seen.dedup();
        assert!(seen.len() > 900, "only {} different delays", seen.len());
    }

    #[test]
    fn a_policy_that_contradicts_itself_is_refused() {
        let shrinking = Retry::exponential(SECOND, SECOND, 1).factor_percent(50);
        assert!(shrinking.check().unwrap_err().to_string().contains("would shorten the delays"));
        assert!(Retry::first([shrinking]).check().is_err());
        assert!(Retry::exponential(SECOND, SECOND, 1).jitter_percent(101).check().is_err());
    }
}
