//! A PostgreSQL server of a trial's own, to be crashed, copied and promoted.

use crate::fault::fake_clock::FakeClock;
use crate::fault::small_disk::SMALL;
use crate::trial::process::{self, folder, free_port, own, quiet, read, run};
use rustix::process::{Pid, Signal, kill_process};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How long a server may take to start. Children of a killed one may linger for a moment and keep its memory.
const START_MAX: Duration = Duration::from_secs(60);

/// The one of all trials that do not crash it.
static SHARED: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());

/// A server with its data. Dropped, it is stopped and its data removed.
pub(crate) struct Cluster {
    folder: PathBuf,
    port: u16,
    clock: Option<Arc<FakeClock>>,
}

impl Cluster {
    /// A new, empty one.
    pub(crate) fn new() -> Self {
        Self::made(folder(), None)
    }

    /// One that goes by this clock.
    pub(crate) fn by(clock: Arc<FakeClock>) -> Self {
        Self::made(folder(), Some(clock))
    }

    /// Its workers go by their own.
    pub(crate) fn clock_of_workers(_clock: &FakeClock) -> Option<&FakeClock> {
        None
    }

    /// One whose data lie in this folder.
    pub(crate) fn on(folder: PathBuf) -> Self {
        Self::made(own(folder), None)
    }

    fn made(folder: PathBuf, clock: Option<Arc<FakeClock>>) -> Self {
        let cluster = Self { folder, port: free_port(), clock };
        let initdb = ["-U", "steadfast", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync", "-D"];
        run(program("initdb").args(initdb).arg(cluster.data()));
        cluster.configure();
        cluster.start();
        cluster
    }

    /// One that others use at the same time, as long as anybody does.
    pub(crate) fn shared() -> Arc<Self> {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let cluster = Arc::new(Self::new());
            *shared = Arc::downgrade(&cluster);
            cluster
        })
    }

    /// A replica that follows this one.
    pub(crate) fn replica(&self) -> Self {
        let replica = Self { folder: folder(), port: free_port(), clock: None };
        let (host, port) = ("127.0.0.1", self.port.to_string());
        let copy = ["-h", host, "-p", &port, "-U", "steadfast", "-R", "-X", "stream", "-c", "fast", "-D"];
        run(program("pg_basebackup").args(copy).arg(replica.data()));
        replica.configure();
        replica.start();
        replica
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Starts it, again if it was crashed; it accepts connections when this returns.
    pub(crate) fn start(&self) {
        let began = Instant::now();
        let log = self.folder.join("log");
        loop {
            let mut start = process::program_by(self.clock.as_deref(), &programs().join("pg_ctl"));
            start.arg("-D").arg(self.data()).arg("-l").arg(&log).args(["-w", "-t", "60", "start"]);
            if quiet(&mut start).status().expect("pg_ctl runs").success() {
                return;
            }
            assert!(began.elapsed() < START_MAX, "no start: {}", read(&log));
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Starts it if it has ended by itself; says whether it had.
    pub(crate) fn revive(&self) -> bool {
        let ended = !quiet(program("pg_ctl").arg("-D").arg(self.data()).arg("status"))
            .status()
            .expect("pg_ctl runs")
            .success();
        if ended {
            self.start();
        }
        ended
    }

    /// Crashes it, in one of two ways: all its processes stop at once, or the first is killed and the others notice.
    pub(crate) fn crash(&self, nth: usize) {
        if nth.is_multiple_of(2) {
            run(program("pg_ctl").arg("-D").arg(self.data()).args(["-m", "immediate", "-w", "stop"]));
        } else {
            self.kill();
        }
    }

    /// `kill -9` of the first process; the others notice by themselves.
    pub(crate) fn kill(&self) {
        let file = read(&self.data().join("postmaster.pid"));
        let pid = file.lines().next().and_then(|line| line.parse().ok()).and_then(Pid::from_raw);
        kill_process(pid.expect("a running server"), Signal::KILL).expect("it can be killed");
    }

    /// Makes a replica a server of its own.
    pub(crate) fn promote(&self) {
        run(program("pg_ctl").arg("-D").arg(self.data()).args(["-w", "-t", "60", "promote"]));
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// What is on a small disk must not be crowded out by the log.
    fn wal_max(&self) -> &str {
        if self.folder.ends_with(SMALL) { "48MB" } else { "2GB" }
    }

    fn configure(&self) {
        let file = self.data().join("postgresql.conf");
        let mut text = read(&file);
        write!(
            text,
            "\nlisten_addresses = '127.0.0.1'\nport = {}\nunix_socket_directories = ''\n\
             max_connections = 400\nshared_buffers = 128MB\nmax_wal_size = {}\n",
            self.port,
            self.wal_max()
        )
        .expect("a text can be written to");
        std::fs::write(&file, text).expect("it is configured");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let mut stop = program("pg_ctl");
        let _ = quiet(stop.arg("-D").arg(self.data()).args(["-m", "immediate", "-w", "stop"])).status();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Where workers find a database.
pub(crate) fn url(address: &str, database: &str) -> String {
    format!("postgres://steadfast@{address}/{database}?sslmode=disable")
}

/// One of the server's programs: the newest installed, or those in `STEADFAST_POSTGRES_BIN`.
fn program(name: &str) -> Command {
    process::program(&programs().join(name))
}

fn programs() -> PathBuf {
    if let Some(given) = std::env::var_os("STEADFAST_POSTGRES_BIN") {
        return given.into();
    }
    let version = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let folders = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest = folders.map(|entry| entry.path()).filter_map(|path| Some((version(&path)?, path))).max();
    let (_, newest) = newest.expect("no PostgreSQL server is installed; run `make prepare`");
    newest.join("bin")
}
