//! The middle and the tail of what was measured.

use std::time::Duration;

/// The middle one; the upper of two.
pub(crate) fn median(mut figures: Vec<f64>) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied()
}

/// The time that so many hundredths stay under, in microseconds, by nearest rank.
pub(crate) fn micros(times: &mut [Duration], percent: usize) -> Option<f64> {
    times.sort();
    let rank = (times.len() * percent).div_ceil(100).max(1);
    times.get(rank - 1).map(|time| time.as_secs_f64() * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(times_us: &[u64], percent: usize, expected_us: Option<f64>) {
        let mut times: Vec<_> = times_us.iter().copied().map(Duration::from_micros).collect();
        assert_eq!(micros(&mut times, percent).map(f64::round), expected_us);
    }

    #[test]
    fn a_percentile_is_one_of_the_times() {
        let hundred: Vec<u64> = (1..=100).rev().collect();
        check(&hundred, 50, Some(50.0));
        check(&hundred, 99, Some(99.0));
        check(&hundred, 100, Some(100.0));
        check(&[7], 1, Some(7.0));
        check(&[], 50, None);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![]), None);
    }
}
