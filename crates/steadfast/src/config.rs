//! How an engine behaves. Every number has a unit and a default that suits most.

use crate::error::Error;
use std::time::Duration;
use steadfast_core::{Bucket, Refusal, StoreError, limit};

/// Settings of one engine.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// The worker's name, for people.
    pub name: String,
    /// The program's version as a number that rises: a newer build's policies win over an older one's.
    pub build: i64,
    /// Runs at once in each bucket that has no slots of its own.
    pub slots: usize,
    /// Steps that a task may go under one grant; then it is ready again, behind others that wait.
    pub steps_max: usize,
    /// Buckets with slots of their own.
    pub(crate) buckets: Vec<(String, usize)>,
    /// How long the worker counts as alive without a sign of life. Renewed every third of it.
    pub lease: Duration,
    /// How often to look for what no hint told of.
    pub sweep: Duration,
    /// How long runs may go on when the engine drains.
    pub grace: Duration,
    /// Largest payload, in bytes.
    pub payload_bytes_max: usize,
    /// How long ended tasks stay in the history.
    pub history: Duration,
}

impl Config {
    /// Refuses settings that cannot work.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let refuse = |text: &str| Err(Error::Store(StoreError::Refused(Refusal::Config(text.to_owned()))));
        if self.slots == 0 {
            return refuse("slots is 0; give the engine at least one");
        }
        if self.steps_max == 0 {
            return refuse("steps_max is 0; give a task at least one step at a time");
        }
        self.check_buckets()?;
        if self.lease < Duration::from_millis(300) {
            return refuse("lease is under 300 ms; a busy machine would lose it all the time");
        }
        if self.sweep < Duration::from_millis(10) {
            return refuse("sweep is under 10 ms; hints are faster than that");
        }
        Ok(())
    }

    /// Runs at once in a bucket.
    pub(crate) fn slots_of(&self, bucket: &Bucket) -> usize {
        self.buckets.iter().find(|(name, _)| name == bucket.as_str()).map_or(self.slots, |(_, slots)| *slots)
    }

    fn check_buckets(&self) -> Result<(), Refusal> {
        for (at, (name, slots)) in self.buckets.iter().enumerate() {
            Bucket::new(name)?;
            if *slots == 0 {
                return Err(Refusal::Config(format!("bucket `{name}` has 0 slots; give it at least one")));
            }
            if self.buckets[..at].iter().any(|(other, _)| other == name) {
                return Err(Refusal::Config(format!("bucket `{name}` is given slots twice; keep one")));
            }
        }
        Ok(())
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            name: format!("worker-{}", std::process::id()),
            build: 0,
            slots: 256,
            steps_max: 100,
            buckets: Vec::new(),
            lease: Duration::from_secs(15),
            sweep: Duration::from_secs(1),
            grace: Duration::from_secs(30),
            payload_bytes_max: limit::PAYLOAD_BYTES_MAX,
            history: Duration::from_secs(30 * 24 * 3600),
        }
    }
}
