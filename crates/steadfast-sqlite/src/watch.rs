//! Notices what other connections commit to the file, of this program or of another.

use rusqlite::Connection;
use std::time::{Duration, Instant};

/// How often to look while something happens.
const BUSY_EVERY: Duration = Duration::from_millis(10);
/// How often to look while nothing does: well under the 50 ms within which another program's task starts.
const IDLE_EVERY: Duration = Duration::from_millis(25);
/// How long something counts as happening.
const RECENT: Duration = Duration::from_secs(1);

/// Looks at the number that SQLite raises when another connection commits.
pub(crate) struct Watch {
    seen: Option<i64>,
    looked: Instant,
    /// When somebody else was last seen to write.
    others: Option<Instant>,
    /// When there was last anything to do.
    active: Instant,
}

impl Watch {
    pub(crate) fn new(connection: &Connection) -> Self {
        let now = Instant::now();
        Self { seen: version(connection), looked: now, others: None, active: now }
    }

    /// There is something to do here.
    pub(crate) fn stir(&mut self) {
        self.active = Instant::now();
    }

    /// How long until the next look.
    pub(crate) fn wait(&self) -> Duration {
        let every = if self.active.elapsed() < RECENT { BUSY_EVERY } else { IDLE_EVERY };
        every.saturating_sub(self.looked.elapsed())
    }

    /// Looks if it is time; says whether another connection has committed since the last look.
    pub(crate) fn look(&mut self, connection: &Connection) -> bool {
        if !self.wait().is_zero() {
            return false;
        }
        self.looked = Instant::now();
        let now = version(connection);
        let changed = now.is_some() && now != self.seen;
        if changed {
            self.seen = now;
            self.active = self.looked;
            self.others = Some(self.looked);
        }
        changed
    }

    /// Whether others write too, and should be let in between two commits.
    pub(crate) fn has_company(&self) -> bool {
        self.others.is_some_and(|others| others.elapsed() < RECENT)
    }
}

/// Read outside of any transaction, where it is always fresh. A fault tells nothing and is asked again.
fn version(connection: &Connection) -> Option<i64> {
    let mut statement = connection.prepare_cached("pragma data_version").ok()?;
    statement.query_row([], |row| row.get(0)).ok()
}
