//! What Steadfast has to reach in a race.

use super::heat::Runner;
use super::standing::Standing;
use crate::bar::Verdict;
use crate::report::grouped;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Bar {
    /// At least so much of the floor's rate.
    OfFloor(f64),
    /// A p50 of at most so many microseconds over the floor's.
    OverFloorUs(f64),
    /// At least so many times the rate of the best peer.
    OfBestPeer(f64),
    /// A p50 that is not longer than the shortest of any peer.
    ShortestP50,
    /// The same of the p99, whoever has the shortest.
    ShortestP99,
}

impl Bar {
    /// Judges the standings of one race; none if a figure that it needs is not there.
    pub(super) fn judge(self, standings: &[Standing]) -> Option<Verdict> {
        let of = |runner: Runner| standings.iter().find(|standing| standing.runner == runner.name());
        let own = of(Runner::Steadfast)?;
        match self {
            Self::OfFloor(least) => {
                let ratio = own.middle / of(Runner::Floor)?.middle;
                Some(Verdict::new(format!(">= {least} of the floor"), format!("{ratio:.2}"), ratio >= least))
            }
            Self::OverFloorUs(most) => {
                let over = own.middle - of(Runner::Floor)?.middle;
                let wanted = format!("p50 <= the floor's + {most} µs");
                Some(Verdict::new(wanted, format!("{over:+.0} µs"), over <= most))
            }
            Self::OfBestPeer(least) => {
                let best = standings.iter().find(|standing| standing.is_peer())?;
                let ratio = own.middle / best.middle;
                let wanted = format!(">= {least} of the best peer");
                let seen = format!("{ratio:.2} of {}", best.runner);
                Some(Verdict::new(wanted, seen, ratio >= least))
            }
            Self::ShortestP50 => shortest("p50", own, standings, |standing| Some(standing.middle)),
            Self::ShortestP99 => shortest("p99", own, standings, |standing| standing.median.p99_us),
        }
    }
}

fn shortest(
    name: &str,
    own: &Standing,
    standings: &[Standing],
    time: fn(&Standing) -> Option<f64>,
) -> Option<Verdict> {
    let own = time(own)?;
    let peers = standings.iter().filter(|standing| standing.is_peer());
    let times = peers.filter_map(|peer| Some((time(peer)?, &peer.runner)));
    let (best, runner) = times.min_by(|one, other| one.0.total_cmp(&other.0))?;
    let seen = format!("{} µs beside {} µs of {runner}", grouped(own), grouped(best));
    Some(Verdict::new(format!("{name} <= that of any peer"), seen, own <= best))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    fn standing(runner: &str, middle: f64, p99_us: f64) -> Standing {
        let median = Sample { p99_us: Some(p99_us), ..Sample::default() };
        Standing {
            runner: runner.into(),
            median,
            lowest: middle,
            middle,
            highest: middle,
            missing: 0,
            doubled: 0,
        }
    }

    fn check(bar: Bar, expected: &str) {
        let standings = [
            standing("floor", 100.0, 200.0),
            standing("Steadfast", 60.0, 150.0),
            standing("river", 40.0, 300.0),
            standing("awa", 30.0, 90.0),
        ];
        let verdict = bar.judge(&standings).unwrap();
        assert_eq!(format!("{}: {}, {}", verdict.wanted, verdict.seen, verdict.word()), expected);
    }

    #[test]
    fn steadfast_is_judged_by_the_floor_and_by_the_best_of_its_peers() {
        check(Bar::OfFloor(0.65), ">= 0.65 of the floor: 0.60, short");
        check(Bar::OverFloorUs(0.0), "p50 <= the floor's + 0 µs: -40 µs, ok");
        check(Bar::OfBestPeer(1.5), ">= 1.5 of the best peer: 1.50 of river, ok");
        check(Bar::ShortestP50, "p50 <= that of any peer: 60 µs beside 30 µs of awa, short");
        check(Bar::ShortestP99, "p99 <= that of any peer: 150 µs beside 90 µs of awa, short");
        assert_eq!(Bar::OfBestPeer(1.5).judge(&[standing("Steadfast", 60.0, 1.0)]), None);
    }
}
