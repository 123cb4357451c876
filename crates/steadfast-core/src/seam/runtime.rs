//! Spawning, sleeping, monotonic time and chance: one seam, so that a simulation can own them all.

use std::pin::Pin;
use std::time::Duration;

/// A future that can move between threads.
pub type Future<T> = Pin<Box<dyn std::future::Future<Output = T> + Send>>;

/// What the engine runs on.
pub trait Runtime: Send + Sync + 'static {
    /// Runs a future to its end. Nothing ever aborts it.
    fn spawn(&self, future: Future<()>);

    /// How many futures can be polled at the same time.
    fn threads(&self) -> usize;

    /// Runs a future on a thread of its own, so that busy handlers cannot starve it.
    fn spawn_apart(&self, name: &str, future: Future<()>);

    /// Ends after so long.
    fn sleep(&self, wait: Duration) -> Future<()>;

    /// Time since some fixed moment, never going back.
    fn monotonic(&self) -> Duration;

    /// Milliseconds since 1970 by the host, as a label in ids. Decides nothing.
    fn unix_ms(&self) -> u64;

    /// A random number.
    fn random(&self) -> u64;
}
