//! A MariaDB server of a trial's own, to be crashed.

use crate::fault::fake_clock::FakeClock;
use crate::fault::small_disk::SMALL;
use crate::trial::process::{self, folder, free_port, own, quiet, read, run};
use std::io::Read;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How long a server may take to start.
const START_MAX: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(20);

/// Who works, and who watches: sessions of the two are told apart by it.
const USERS: &str = "
create user if not exists steadfast@'127.0.0.1';
create user if not exists witness@'127.0.0.1';
grant all privileges on *.* to steadfast@'127.0.0.1';
grant all privileges on *.* to witness@'127.0.0.1';
";

/// The one of all trials that do not crash it.
static SHARED: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());

/// A server with its data. Dropped, it is killed and its data removed.
pub(crate) struct Cluster {
    folder: PathBuf,
    port: u16,
    server: Mutex<Option<Child>>,
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
        let cluster = Self { folder, port: free_port(), server: Mutex::default(), clock };
        cluster.configure();
        let mut install = process::program(Path::new("mariadb-install-db"));
        run(install.arg(cluster.settings()).arg("--skip-test-db"));
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

    /// Where it listens.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Starts it, again if it was crashed; it accepts connections when this returns.
    pub(crate) fn start(&self) {
        let mut server = process::program_by(self.clock.as_deref(), Path::new("/usr/sbin/mariadbd"));
        server.arg(self.settings()).arg(format!("--init-file={}", self.folder.join("users.sql").display()));
        *self.server.lock().unwrap() = Some(quiet(&mut server).spawn().expect("mariadbd runs"));
        let began = Instant::now();
        while !self.greets() {
            assert!(began.elapsed() < START_MAX, "no start: {}", read(&self.folder.join("log")));
            std::thread::sleep(POLL);
        }
    }

    /// Starts it if it has ended by itself; says whether it had.
    pub(crate) fn revive(&self) -> bool {
        let ended = |server: &mut Child| server.try_wait().expect("it can be asked").is_some();
        let ended = self.server.lock().unwrap().as_mut().is_none_or(ended);
        if ended {
            self.start();
        }
        ended
    }

    /// `kill -9`, every time: it has one process.
    pub(crate) fn crash(&self, _nth: usize) {
        if let Some(mut server) = self.server.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }

    /// Its port is open long before it speaks.
    fn greets(&self) -> bool {
        let greeting = TcpStream::connect(self.address()).and_then(|mut server| server.read(&mut [0]));
        greeting.is_ok_and(|bytes| bytes > 0)
    }

    fn settings(&self) -> String {
        format!("--defaults-file={}", self.folder.join("my.cnf").display())
    }

    /// What is on a small disk must not be crowded out by the log.
    fn log_max(&self) -> &str {
        if self.folder.ends_with(SMALL) { "16M" } else { "96M" }
    }

    /// A server that starts clears away what others keep in the folder for temporary files, so it has one of its own.
    fn configure(&self) {
        let (folder, port) = (self.folder.display(), self.port);
        let settings = format!(
            "[mariadbd]\ndatadir = {folder}/data\ntmpdir = {folder}\nbind-address = 127.0.0.1\nport = {port}\nsocket =\n\
             pid-file = {folder}/pid\nlog-error = {folder}/log\nskip-name-resolve\nmax_connections = 500\n\
             innodb_flush_log_at_trx_commit = 1\ninnodb_buffer_pool_size = 256M\n\
             innodb_log_file_size = {}\n",
            self.log_max()
        );
        std::fs::write(self.folder.join("my.cnf"), settings).expect("it is configured");
        std::fs::write(self.folder.join("users.sql"), USERS).expect("it is configured");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.crash(0);
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Where workers find a database.
pub(crate) fn url(address: &str, database: &str) -> String {
    format!("mysql://steadfast@{address}/{database}")
}
