//! How long something took, and what it cost this process and the server.

use crate::Result;
use crate::ground::Ground;
use crate::sample::Sample;
use crate::server::{Server, TICK_MS};
use crate::{place::Place, wal};
use std::time::{Duration, Instant};

/// This process, where processes are told of.
const SELF: &str = "self";

/// Runs from its start to the sample.
pub(crate) struct Meter {
    began: Instant,
    cpu_ms: f64,
    /// The server with its time, if there is one.
    server: Option<(Server, f64)>,
    /// Where it is measured, and where the server's log stood.
    place: Place,
    wal: Option<u64>,
}

impl Meter {
    pub(crate) fn start(ground: &Ground) -> Result<Self> {
        let place = ground.place().clone();
        let wal = wal::written(&place)?;
        let server = match ground.server() {
            Some(server) => Some((server, server.cpu_ms()?)),
            None => None,
        };
        Ok(Self { cpu_ms: cpu_ms(SELF)?, server, place, wal, began: Instant::now() })
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// A sample of `n` tasks since the start, as a rate a second.
    pub(crate) fn sample(&self, n: u32, once: Option<bool>) -> Result<Sample> {
        let seconds = self.elapsed().as_secs_f64();
        let each = |spent_ms: f64| spent_ms * 1000.0 / f64::from(n);
        let server = match self.server {
            Some((server, before_ms)) => Some(each(server.cpu_ms()? - before_ms)),
            None => None,
        };
        let sample = Sample {
            n,
            seconds,
            rate: f64::from(n) / seconds,
            cpu_ms_1k: Some(each(cpu_ms(SELF)? - self.cpu_ms)),
            server_cpu_ms_1k: server,
            rss_mb: Some(rss_peak_mb(SELF)?),
            once,
            ..Sample::default()
        };
        // Last, since asking costs both sides something.
        Ok(Sample { wal_bytes: self.wal_each(n)?, ..sample })
    }

    fn wal_each(&self, n: u32) -> Result<Option<f64>> {
        let Some((now, before)) = wal::written(&self.place)?.zip(self.wal) else { return Ok(None) };
        Ok(Some(f64::from(u32::try_from((now - before) / u64::from(n.max(1)))?)))
    }
}

/// Processor time of a process so far, in the kernel and outside.
pub(crate) fn cpu_ms(process: &str) -> Result<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name in brackets may hold spaces: count from behind it. User time is the 12th field there.
    let (_, fields) = stat.rsplit_once(')').ok_or("a process has no name")?;
    let ticks: Vec<u32> =
        fields.split_whitespace().skip(11).take(2).map(str::parse).collect::<std::result::Result<_, _>>()?;
    Ok(ticks.into_iter().map(f64::from).sum::<f64>() * TICK_MS)
}

/// The most memory a process held so far.
pub(crate) fn rss_peak_mb(process: &str) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    let kb: u32 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(f64::from(kb) / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::Base;

    #[test]
    fn a_process_has_used_memory_and_its_time_does_not_go_back() {
        let ground = Ground::new(Base::Sqlite, "test-meter").unwrap();
        let meter = Meter::start(&ground).unwrap();
        let sample = meter.sample(1000, None).unwrap();
        assert!(sample.rss_mb.unwrap() > 0.5, "{sample:?}");
        assert!(sample.cpu_ms_1k.unwrap() >= 0.0 && sample.rate > 0.0, "{sample:?}");
    }
}
