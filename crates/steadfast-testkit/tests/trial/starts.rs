//! When handlers started, by the journal of their workers.

use super::crew::Crew;
use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The last start of each task, since 1970.
pub(crate) fn starts(crew: &Crew) -> HashMap<String, Duration> {
    let start = |line: &str| match line.split(' ').collect::<Vec<_>>().as_slice() {
        ["RUN", micros, _, task, ..] => {
            Some(((*task).to_owned(), Duration::from_micros(micros.parse().ok()?)))
        }
        _ => None,
    };
    crew.journal().lines().filter_map(start).collect()
}

/// The time by the same clock.
pub(crate) fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970")
}
