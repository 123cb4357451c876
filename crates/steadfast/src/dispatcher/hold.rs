//! Holding a crowd of adds back for a moment, until its tasks can be born.
//!
//! Without a slot, or behind others, they would be added as ready and grabbed afterwards, which costs as much again; and
//! adds that outrun the grabs of their own worker would stay ahead of them. Where handlers are quick, slots come free in
//! no time; where they are slow, a hold is in vain, and the next one is not tried for a while, each time for longer.

use std::time::Duration;

/// How long a crowd is held back at most.
pub(crate) const HOLD_MAX: Duration = Duration::from_millis(100);
/// How long nobody is held back after that was in vain for the first time; twice as long after each time more.
const REST_MIN: Duration = Duration::from_secs(1);
const REST_MAX: Duration = Duration::from_secs(64);

#[derive(Debug)]
pub(crate) struct Hold {
    since: Option<Duration>,
    rest: Duration,
    rests_until: Duration,
}

/// What to do with a crowd that cannot be born now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// Hold it back, and look again after [`HOLD_MAX`] at the latest.
    Begins,
    On,
    /// Let it go.
    No,
}

impl Default for Hold {
    fn default() -> Self {
        Self { since: None, rest: REST_MIN, rests_until: Duration::ZERO }
    }
}

impl Hold {
    pub(crate) fn ask(&mut self, now: Duration) -> Held {
        match self.since {
            None if now < self.rests_until => Held::No,
            None => {
                self.since = Some(now);
                Held::Begins
            }
            Some(since) if now.saturating_sub(since) < HOLD_MAX => Held::On,
            Some(_) => {
                self.since = None;
                self.rests_until = now + self.rest;
                self.rest = (self.rest * 2).min(REST_MAX);
                Held::No
            }
        }
    }

    /// The crowd could go, or is none any more.
    pub(crate) fn end(&mut self) {
        if self.since.take().is_some() {
            self.rest = REST_MIN;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_is_held_until_it_can_go() {
        let (mut hold, now) = (Hold::default(), Duration::ZERO);
        assert_eq!((hold.ask(now), hold.ask(now + HOLD_MAX / 2)), (Held::Begins, Held::On));
        hold.end();
        assert_eq!(hold.ask(now), Held::Begins, "another crowd");
    }

    #[test]
    fn whoever_was_held_in_vain_is_not_held_again_for_longer_and_longer() {
        let (mut hold, mut now) = (Hold::default(), Duration::ZERO);
        for rest in [1, 2, 4, 8, 16, 32, 64, 64].map(Duration::from_secs) {
            assert_eq!(hold.ask(now), Held::Begins);
            now += HOLD_MAX;
            assert_eq!(hold.ask(now), Held::No);
            now += rest;
            assert_eq!(hold.ask(now - HOLD_MAX), Held::No);
        }
        assert_eq!(hold.ask(now), Held::Begins);
        hold.end();
        assert_eq!((hold.ask(now), hold.ask(now + HOLD_MAX)), (Held::Begins, Held::No));
        assert_eq!(hold.ask(now + HOLD_MAX + REST_MIN), Held::Begins, "one was not in vain");
    }
}
