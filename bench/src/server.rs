//! What a server on this machine costs, all its processes together.

use crate::place::Place;
use crate::{Result, plain};
use std::fs;

/// Linux counts processor time in hundredths of a second for everybody who asks.
pub(crate) const TICK_MS: f64 = 10.0;

/// The process that all others of the server are children of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Server(u32);

/// A process as the kernel tells of it, in ticks.
struct Process {
    parent: u32,
    own: u32,
    /// Of its children that have ended.
    ended: u32,
}

impl Server {
    /// The server of a place; none for a file, and for a server on another machine.
    pub(crate) fn of(place: &Place) -> Result<Option<Self>> {
        match place {
            Place::File(_) => Ok(None),
            Place::Schema(schema) => postgres(schema),
            Place::Database(_) => mysql(),
        }
    }

    /// Processor time of all its processes so far.
    pub(crate) fn cpu_ms(self) -> Result<f64> {
        let mut ticks = Process::read(&self.0.to_string()).map_or(0, |process| process.own + process.ended);
        for entry in fs::read_dir("/proc")?.flatten() {
            let child = entry.file_name().to_str().and_then(Process::read);
            ticks += child.filter(|child| child.parent == self.0).map_or(0, |child| child.own);
        }
        Ok(f64::from(ticks) * TICK_MS)
    }
}

/// The parent of a session's process.
fn postgres(schema: &str) -> Result<Option<Server>> {
    // Kept open: a session that has ended has no parent any more.
    let db = plain::postgres::Plain::open(schema)?;
    let rows = db.ask("select pg_backend_pid()", &[])?;
    let pid: i32 = rows.first().ok_or("no session")?.try_get(0)?;
    let session = Process::read(&pid.to_string()).filter(|_| is_named(&pid.to_string(), &["postgres"]));
    Ok(session.map(|session| Server(session.parent)))
}

/// The one process that it has.
fn mysql() -> Result<Option<Server>> {
    let paths: Vec<String> = plain::mysql::Plain::open("")?.ask("select @@pid_file")?;
    let pid = paths.first().and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
    let pid = pid.trim();
    Ok(if is_named(pid, &["mariadbd", "mysqld"]) { Some(Server(pid.parse()?)) } else { None })
}

fn is_named(pid: &str, names: &[&str]) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| names.contains(&name.trim()))
}

impl Process {
    /// None if it is no process, or none any more.
    fn read(pid: &str) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in brackets may hold spaces: count from behind it.
        let (_, fields) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u32>().ok();
        Some(Self { parent: number(1)?, own: number(11)? + number(12)?, ended: number(13)? + number(14)? })
    }
}
