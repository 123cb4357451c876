//! The demo as plain lines: one a second, and one for each event.

use super::numbers::{grouped, short};
use super::scene::{Event, KindScene, Scene};
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
    let sum = |of: fn(&KindScene) -> u64| scene.kinds.iter().map(of).sum::<u64>();
    let running: usize = scene.kinds.iter().flat_map(|kind| &kind.running).sum();
    format!(
        "{}  {:>5}/s  done {:>6}  ready {:>6}  running {running:>2}  waiting {:>2}  error {}{}",
        clock(scene.elapsed),
        scene.rate,
        grouped(sum(|kind| kind.done)),
        grouped(sum(|kind| kind.ready)),
        sum(|kind| kind.waiting),
        sum(|kind| kind.error),
        standard(scene).unwrap_or_default(),
    )
}

fn standard(scene: &Scene) -> Option<String> {
    let latency = scene.kinds.iter().find(|kind| kind.kind == STANDARD)?.latency?;
    Some(format!("  standard p50 {} p99 {}", short(latency.p50), short(latency.p99)))
}

fn clock(at: Duration) -> String {
    format!("{:>5.1} s", at.as_secs_f64())
}
