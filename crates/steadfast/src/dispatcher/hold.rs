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
    /// Since when, and how many of those who waited then still do.
    held: Option<(Duration, usize)>,
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
        Self { held: None, rest: REST_MIN, rests_until: Duration::ZERO }
    }
}

impl Hold {
    /// So many wait, and cannot be born now.
    pub(crate) fn ask(&mut self, now: Duration, waiting: usize) -> Held {
        match self.held {
            None if now < self.rests_until => Held::No,
            None => {
                self.held = Some((now, waiting));
                Held::Begins
            }
            Some(_) if !self.is_vain(now) => Held::On,
            Some(_) => {
                self.held = None;
                self.rests_until = now + self.rest;
                self.rest = (self.rest * 2).min(REST_MAX);
                Held::No
            }
        }
    }

    /// Whether those who wait longest have waited for too long.
    pub(crate) fn is_vain(&self, now: Duration) -> bool {
        self.held.is_some_and(|(since, _)| now.saturating_sub(since) >= HOLD_MAX)
    }

    /// So many could go. When all have gone that were held, the hold was worth it.
    pub(crate) fn went(&mut self, n: usize) {
        let Some((_, left)) = &mut self.held else { return };
        *left = left.saturating_sub(n);
        if *left == 0 {
            self.held = None;
            self.rest = REST_MIN;
        }
    }

    /// There is no crowd any more, or it would not be born later either.
    pub(crate) fn end(&mut self) {
        self.held = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_is_held_until_all_of_it_could_go() {
        let (mut hold, now) = (Hold::default(), Duration::ZERO);
        assert_eq!((hold.ask(now, 300), hold.ask(now + HOLD_MAX / 2, 300)), (Held::Begins, Held::On));
        hold.went(299);
        assert_eq!(hold.ask(now + HOLD_MAX / 2, 500), Held::On, "the last of them still waits");
        hold.went(1);
        assert_eq!(hold.ask(now + HOLD_MAX / 2, 499), Held::Begins, "another crowd");
    }

    #[test]
    fn whoever_was_held_in_vain_is_not_held_again_for_longer_and_longer() {
        let (mut hold, mut now) = (Hold::default(), Duration::ZERO);
        for rest in [1, 2, 4, 8, 16, 32, 64, 64].map(Duration::from_secs) {
            assert_eq!(hold.ask(now, 300), Held::Begins);
            hold.went(299);
            now += HOLD_MAX;
            assert_eq!(hold.ask(now, 300), Held::No);
            assert_eq!(hold.ask(now + rest / 2, 300), Held::No);
            now += rest;
        }
        assert_eq!(hold.ask(now, 300), Held::Begins);
        hold.went(300);
        assert_eq!((hold.ask(now, 300), hold.ask(now + HOLD_MAX, 300)), (Held::Begins, Held::No));
        assert_eq!(hold.ask(now + HOLD_MAX + REST_MIN, 300), Held::Begins, "one was not in vain");
    }
}
