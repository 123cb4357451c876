//! How often something may start: tokens that come at an even pace.
//!
//! Whole numbers only: a microsecond brings as many parts as tokens come in a period, and a token is as many parts
//! as the period has microseconds. So no pace drifts, however odd it is.

use crate::error::Refusal;
use crate::why::Span;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// Longest period, and so the slowest rate: one start a day.
const PER_MAX: Duration = Duration::from_secs(24 * 3600);
/// Most tokens in a period, and most that may be saved up.
const TOKENS_MAX: u32 = 1_000_000;

/// So many starts in so long a time, evenly.
///
/// ```
/// use std::time::Duration;
/// use steadfast_core::Rate;
/// // Five a second; after a pause, up to three at once.
/// let bank = Rate::per_second(5).burst(3);
/// let sms = Rate::new(100, Duration::from_secs(60));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct Rate {
    n: u32,
    per: Duration,
    burst: u32,
}

/// The tokens of one rate: one is taken by each start.
#[derive(Debug, Clone, Copy)]
pub struct Tokens {
    rate: Rate,
    /// Parts of tokens that were there at a time.
    parts: u128,
    at: Duration,
}

impl Rate {
    /// So many starts in so long a time, one after another.
    pub const fn new(n: u32, per: Duration) -> Self {
        Self { n, per, burst: 1 }
    }

    /// So many starts a second.
    pub const fn per_second(n: u32) -> Self {
        Self::new(n, Duration::from_secs(1))
    }

    /// After a pause, so many may start at once: more than that are not saved up. One unless said otherwise.
    pub const fn burst(mut self, burst: u32) -> Self {
        self.burst = burst;
        self
    }

    /// Refuses a rate that lets nothing start, or that nobody could keep.
    pub(crate) fn check(self) -> Result<(), Refusal> {
        let refuse = |text: String| Err(Refusal::Config(text));
        if self.n == 0 || self.burst == 0 {
            return refuse("rate or burst is 0; nothing could start".into());
        }
        if self.n > TOKENS_MAX || self.burst > TOKENS_MAX {
            return refuse(format!("rate or burst is over {TOKENS_MAX}; leave it out"));
        }
        if self.per < Duration::from_micros(1) || self.per > PER_MAX {
            return refuse("the period of a rate is not between 1 µs and 24 h; choose another".into());
        }
        Ok(())
    }

    /// Parts of one token.
    const fn token(self) -> u128 {
        self.per.as_micros()
    }

    const fn parts_max(self) -> u128 {
        self.token() * self.burst as u128
    }
}

/// For people, as in `5 in 1 s`.
impl fmt::Display for Rate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} in {}", self.n, Span(self.per))
    }
}

impl Tokens {
    /// All that can be saved up.
    pub const fn full(rate: Rate, now: Duration) -> Self {
        Self { rate, parts: rate.parts_max(), at: now }
    }

    /// Tokens that are there.
    pub fn n(&self, now: Duration) -> usize {
        usize::try_from(self.parts(now) / self.rate.token()).unwrap_or(usize::MAX)
    }

    /// Takes one that is there.
    pub fn take(&mut self, now: Duration) {
        let parts = self.parts(now);
        debug_assert!(parts >= self.rate.token(), "a token was taken that is not there");
        self.set(parts.saturating_sub(self.rate.token()), now);
    }

    /// Puts one back that nobody used.
    pub fn put_back(&mut self, now: Duration) {
        self.set(self.parts(now) + self.rate.token(), now);
    }

    /// When there is one more than now; none when no more are saved up.
    pub fn next_at(&self, now: Duration) -> Option<Duration> {
        let (parts, token) = (self.parts(now), self.rate.token());
        let missing = token - parts % token;
        let wait = missing.div_ceil(u128::from(self.rate.n));
        let wait = Duration::from_micros(u64::try_from(wait).unwrap_or(u64::MAX));
        (parts < self.rate.parts_max()).then(|| now.saturating_add(wait))
    }

    fn parts(&self, now: Duration) -> u128 {
        let came = now.saturating_sub(self.at).as_micros() * u128::from(self.rate.n);
        (self.parts + came).min(self.rate.parts_max())
    }

    fn set(&mut self, parts: u128, now: Duration) {
        self.parts = parts.min(self.rate.parts_max());
        self.at = self.at.max(now);
    }
}
