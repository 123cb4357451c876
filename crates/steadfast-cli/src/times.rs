//! Times and durations as people write them.

use jiff::{Span, SpanRelativeTo, Timestamp, civil, tz::TimeZone};
use std::time::{Duration, SystemTime};
use steadfast::{Time, When};

/// A duration such as `90s`, `5m` or `1h 30m`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = |_| format!("`{text}` is no duration; write it as 90s, 5m, 2h or 1d");
    let span: Span = text.parse().map_err(wrong)?;
    // A day is 24 hours here, whatever the clocks on the wall do that night.
    let parsed = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(wrong)?;
    Duration::try_from(parsed).map_err(|_| format!("`{text}` is negative; write how long from now"))
}

/// A time such as `2026-12-24T18:00:00Z`, or `2026-12-24 18:00` by the clock on the wall.
pub(crate) fn time(text: &str) -> Result<Time, String> {
    let instant = text.parse::<Timestamp>().ok().or_else(|| {
        let wall: civil::DateTime = text.parse().ok()?;
        Some(wall.to_zoned(TimeZone::system()).ok()?.timestamp())
    });
    let instant = instant.ok_or_else(|| format!("`{text}` is no time; write it as 2026-12-24T18:00:00Z"))?;
    Time::from_system("time", SystemTime::from(instant)).map_err(|refusal| refusal.to_string())
}

/// When something may run.
#[derive(Debug, Clone, clap::Args)]
#[group(multiple = false)]
pub(crate) struct WhenArgs {
    /// So long from now, such as 90s, 5m, 2h or 1d
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    after: Option<Duration>,
    /// At this time, such as 2026-12-24T18:00:00Z or "2026-12-24 18:00"
    #[arg(long, value_name = "TIME", value_parser = time)]
    at: Option<Time>,
}

impl WhenArgs {
    /// At once, if nothing was said.
    pub(crate) fn when(&self) -> When {
        match (self.after, self.at) {
            (Some(after), _) => When::After(after),
            (_, Some(at)) => When::At(at),
            (None, None) => When::Now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_people_write_them() {
        for (text, seconds) in
            [("90s", 90), ("5m", 300), ("1h 30m", 5400), ("2 hours", 7200), ("30d", 2_592_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        assert_eq!(duration("soon"), Err("`soon` is no duration; write it as 90s, 5m, 2h or 1d".into()));
        assert!(duration("-5m").unwrap_err().contains("negative"));
    }

    #[test]
    fn times_read_with_and_without_a_zone() {
        assert_eq!(time("1970-01-01T00:01:00Z"), Ok(Time::from_micros(60_000_000)));
        assert!(time("2026-12-24 18:00").is_ok());
        assert_eq!(time("noon"), Err("`noon` is no time; write it as 2026-12-24T18:00:00Z".into()));
        assert!(time("1969-01-01T00:00:00Z").unwrap_err().contains("out of range"));
    }
}
