//! What a figure has to reach, and whether it did.

use crate::record::Record;
use crate::report::grouped;

/// One thing that is asked of a shape's engine half.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Bar {
    /// At least so much of the floor's rate.
    OfFloor(f64),
    /// A p50 of at most so many microseconds over the floor's.
    OverFloorUs(f64),
    /// At least so much of another shape's rate.
    OfShape(&'static str, f64),
    /// At most so many times the counted work of another shape, and the same of its statements.
    WorkOfShape(&'static str, f64),
    /// At least so many a second, whatever the floor does.
    Rate(f64),
    P99Us(f64),
    /// At most so much processor time of the process for a thousand tasks.
    CpuMs(f64),
    RssMb(f64),
}

/// How a figure stands to its bar.
#[derive(Debug, PartialEq)]
pub(crate) struct Verdict {
    pub(crate) wanted: String,
    pub(crate) seen: String,
    pub(crate) ok: bool,
}

impl Bar {
    /// The other shape that has to be measured for it.
    pub(crate) const fn peer(self) -> Option<&'static str> {
        match self {
            Self::OfShape(shape, _) | Self::WorkOfShape(shape, _) => Some(shape),
            _ => None,
        }
    }

    /// Judges an engine's record; none if a figure that it needs is not there.
    pub(crate) fn judge(self, own: &Record, peer: Option<&Record>) -> Option<Verdict> {
        match self {
            Self::OfFloor(least) => {
                let ratio = own.ratio?;
                Some(Verdict::new(format!(">= {least} of the floor"), format!("{ratio:.2}"), ratio >= least))
            }
            Self::OverFloorUs(most) => {
                let over = own.p50_us? - own.floor?;
                let wanted = format!("p50 <= the floor's + {most} µs");
                Some(Verdict::new(wanted, format!("{over:+.0} µs"), over <= most))
            }
            Self::OfShape(shape, least) => {
                let ratio = own.rate / peer?.rate;
                Some(Verdict::new(format!(">= {least} of {shape}"), format!("{ratio:.2}"), ratio >= least))
            }
            Self::WorkOfShape(shape, most) => {
                let work = own.rate / peer?.rate;
                let statements = own.statements? / peer?.statements?;
                let wanted = format!("work, statements <= {most} of {shape}");
                Some(Verdict::new(
                    wanted,
                    format!("{work:.2}, {statements:.2}"),
                    work.max(statements) <= most,
                ))
            }
            Self::Rate(least) => {
                let wanted = format!(">= {} /s", grouped(least));
                Some(Verdict::new(wanted, format!("{} /s", grouped(own.rate)), own.rate >= least))
            }
            Self::P99Us(most) => {
                let p99 = own.p99_us?;
                Some(Verdict::new(format!("p99 <= {most} µs"), format!("{p99:.0} µs"), p99 <= most))
            }
            Self::CpuMs(most) => {
                let cpu = own.cpu_ms_1k?;
                Some(Verdict::new(format!("CPU <= {most} ms/1k"), format!("{cpu:.1} ms/1k"), cpu <= most))
            }
            Self::RssMb(most) => {
                let rss = own.rss_mb?;
                Some(Verdict::new(format!("RSS <= {most} MB"), format!("{rss:.1} MB"), rss <= most))
            }
        }
    }
}

impl Verdict {
    pub(crate) const fn new(wanted: String, seen: String, ok: bool) -> Self {
        Self { wanted, seen, ok }
    }

    /// A row of the page.
    pub(crate) fn row(&self, name: &str) -> String {
        format!("| {name} | {} | {} | {} |\n", self.wanted, self.seen, self.word())
    }

    pub(crate) const fn word(&self) -> &'static str {
        if self.ok { "ok" } else { "short" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;
    use crate::shapes;

    fn record(rate: f64, p50_us: f64, statements: f64) -> Record {
        let sample = Sample {
            rate,
            p50_us: Some(p50_us),
            p99_us: Some(2.0 * p50_us),
            cpu_ms_1k: Some(5.5),
            rss_mb: Some(100.0),
            statements: Some(statements),
            ..Sample::default()
        };
        let mut record = Record::new("engine", &shapes::ALL[0], sample, None, None);
        (record.floor, record.ratio) = (Some(50.0), Some(rate / 50.0));
        record
    }

    fn check(bar: Bar, expected: &str) {
        let peer = record(100.0, 1.0, 10.0);
        let verdict = bar.judge(&record(20.0, 90.0, 11.5), Some(&peer)).unwrap();
        assert_eq!(format!("{}: {} {}", verdict.wanted, verdict.seen, verdict.word()), expected);
    }

    #[test]
    fn a_figure_reaches_its_bar_or_falls_short() {
        check(Bar::OfFloor(0.3), ">= 0.3 of the floor: 0.40 ok");
        check(Bar::OverFloorUs(30.0), "p50 <= the floor's + 30 µs: +40 µs short");
        check(Bar::OfShape("drain", 0.5), ">= 0.5 of drain: 0.20 short");
        check(Bar::WorkOfShape("x", 1.1), "work, statements <= 1.1 of x: 0.20, 1.15 short");
        check(Bar::P99Us(200.0), "p99 <= 200 µs: 180 µs ok");
        check(Bar::Rate(20_000.0), ">= 20,000 /s: 20 /s short");
        check(Bar::CpuMs(5.0), "CPU <= 5 ms/1k: 5.5 ms/1k short");
        check(Bar::RssMb(100.0), "RSS <= 100 MB: 100.0 MB ok");
        assert_eq!(Bar::OfShape("drain", 0.5).judge(&record(1.0, 1.0, 1.0), None), None);
    }
}
