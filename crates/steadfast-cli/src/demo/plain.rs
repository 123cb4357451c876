//! The demo as plain lines: one a second, and one for each event.

use super::numbers::{grouped, short};
use super::scene::{Event, Scene};
use super::story::STANDARD;
use anyhow::Result;
use std::io::Write;
use std::time::Duration;

const EVERY: Duration = Duration::from_secs(1);

/// Remembers what was said.
#[derive(Debug, Default)]
pub(super) struct Plain {
    /// When the last event that was said happened.
    said: Option<Duration>,
    next: Duration,
}

impl Plain {
    /// Says what is new.
    pub(super) fn tick(&mut self, scene: &Scene) -> Result<()> {
        let mut out = std::io::stdout().lock();
        let new = |event: &&Event| self.said.is_none_or(|said| event.at > said);
        for event in scene.events.iter().filter(new) {
            writeln!(out, "{}  {}", clock(event.at), event.text)?;
        }
        self.said = scene.events.last().map(|event| event.at).or(self.said);
        if scene.elapsed >= self.next && !scene.kinds.is_empty() {
            writeln!(out, "{}", moment(scene))?;
            self.next = scene.elapsed + EVERY;
        }
        Ok(())
    }
}

fn moment(scene: &Scene) -> String {
    let kinds = || scene.kinds.iter();
    let (done, ready) = (kinds().map(|kind| kind.done).sum(), kinds().map(|kind| kind.ready).sum());
    let running: usize = kinds().flat_map(|kind| &kind.running).sum();
    let (waiting, error): (u64, u64) =
        (kinds().map(|kind| kind.waiting).sum(), kinds().map(|kind| kind.error).sum());
    let mut text = format!(
        "{}  {:>5}/s  done {:>6}  ready {:>6}  running {running:>2}  waiting {waiting:>2}  error {error}",
        clock(scene.elapsed),
        scene.rate,
        grouped(done),
        grouped(ready),
    );
    let standard = kinds().find(|kind| kind.kind == STANDARD).and_then(|kind| kind.latency);
    if let Some(latency) = standard {
        text += &format!("  {STANDARD} starts after {} (p99 {})", short(latency.p50), short(latency.p99));
    }
    text
}

fn clock(at: Duration) -> String {
    format!("{:>5.1} s", at.as_secs_f64())
}
