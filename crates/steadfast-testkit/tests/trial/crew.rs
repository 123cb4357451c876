//! The worker processes of a trial, with their journal.

use super::witness::PATIENCE;
use crate::fault::fake_clock::FakeClock;
use rustix::process::{Pid, Signal, kill_process};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const POLL: Duration = Duration::from_millis(5);

/// Workers on one database. Dropped, they are killed.
pub(crate) struct Crew {
    url: String,
    folder: tempfile::TempDir,
    workers: Vec<Child>,
    names: Vec<String>,
}

impl Crew {
    pub(crate) fn new(url: String) -> Self {
        Self { url, folder: tempfile::tempdir().expect("a folder"), workers: Vec::new(), names: Vec::new() }
    }

    pub(crate) fn start_all(&mut self, n: usize, words: &[&str]) -> Vec<usize> {
        let workers: Vec<usize> = (0..n).map(|_| self.launch(words)).collect();
        for worker in &workers {
            self.is_up(*worker);
        }
        workers
    }

    /// Starts a worker and waits until it works.
    pub(crate) fn start(&mut self, words: &[&str]) -> usize {
        let worker = self.launch(words);
        self.is_up(worker);
        worker
    }

    /// Starts a worker that goes by this clock, and waits until it works.
    pub(crate) fn start_by(&mut self, clock: Option<&FakeClock>, words: &[&str]) -> usize {
        let worker = self.launch_by(clock, words);
        self.is_up(worker);
        worker
    }

    fn is_up(&self, worker: usize) {
        let up = format!("UP {}", self.names[worker]);
        let began = Instant::now();
        while !self.journal().lines().any(|line| line == up) {
            assert!(began.elapsed() < PATIENCE, "the worker did not start: {}", self.journal());
            std::thread::sleep(POLL);
        }
    }

    /// Starts a worker that may be dead before anybody could wait for it.
    pub(crate) fn launch(&mut self, words: &[&str]) -> usize {
        self.launch_by(None, words)
    }

    fn launch_by(&mut self, clock: Option<&FakeClock>, words: &[&str]) -> usize {
        let name = format!("worker-{}", self.names.len());
        let mut command = Command::new(env!("CARGO_BIN_EXE_trial-worker"));
        command.arg(&self.url).args([self.path().as_os_str(), name.as_ref()]).args(words);
        // Some panic as they are told to: that must not bury what a failed trial says.
        command.env("RUST_BACKTRACE", "0");
        if let Some(clock) = clock {
            command.envs(clock.variables());
        }
        let worker = command.stdin(Stdio::null()).spawn().expect("the worker starts");
        self.workers.push(worker);
        self.names.push(name);
        self.workers.len() - 1
    }

    pub(crate) fn name(&self, worker: usize) -> &str {
        &self.names[worker]
    }

    pub(crate) fn signal(&self, worker: usize, signal: Signal) {
        kill_process(Pid::from_child(&self.workers[worker]), signal).expect("the worker can be signalled");
    }

    /// `kill -9`, and waits for the end of the process.
    pub(crate) fn kill(&mut self, worker: usize) {
        self.signal(worker, Signal::KILL);
        self.ended(worker);
    }

    pub(crate) fn has_ended(&mut self, worker: usize) -> bool {
        self.workers[worker].try_wait().expect("the worker can be asked").is_some()
    }

    /// Waits for the end of a process.
    pub(crate) fn ended(&mut self, worker: usize) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.workers[worker].try_wait().expect("the worker can be asked") {
                return status;
            }
            assert!(began.elapsed() < PATIENCE, "the worker did not end: {}", self.tail());
            std::thread::sleep(POLL);
        }
    }

    /// Waits until the kernel says that a worker is stopped. The journal cannot: it may be stopped in a write.
    pub(crate) fn stopped(&self, worker: usize) {
        let stat = format!("/proc/{}/stat", self.workers[worker].id());
        let began = Instant::now();
        while !std::fs::read_to_string(&stat).unwrap_or_default().contains(") T ") {
            assert!(began.elapsed() < PATIENCE, "the worker was not stopped: {}", self.tail());
            std::thread::sleep(POLL);
        }
    }

    /// What a worker has in memory.
    pub(crate) fn memory_mb(&self, worker: usize) -> u64 {
        let path = format!("/proc/{}/status", self.workers[worker].id());
        let status = std::fs::read_to_string(path).expect("the worker lives");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its size");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
    }

    /// Lines of the journal that hold these words.
    pub(crate) fn count(&self, words: &str) -> usize {
        self.journal().lines().filter(|line| line.contains(words)).count()
    }

    /// What one worker wrote that holds these words.
    pub(crate) fn said(&self, worker: usize, words: &str) -> Vec<String> {
        let (journal, name) = (self.journal(), self.name(worker));
        let its = |line: &&str| line.contains(words) && line.split(' ').any(|word| word == name);
        journal.lines().filter(its).map(str::to_owned).collect()
    }

    /// The ids of tasks whose add a worker heard the end of, as the witness writes them.
    pub(crate) fn acknowledged(&self) -> Vec<String> {
        let added = |line: &str| line.strip_prefix("ADDED ").map(|id| id.replace('-', ""));
        self.journal().lines().filter_map(added).collect()
    }

    pub(crate) fn journal(&self) -> String {
        std::fs::read_to_string(self.path()).unwrap_or_default()
    }

    fn tail(&self) -> String {
        let journal = self.journal();
        let lines: Vec<&str> = journal.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("journal")
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        for worker in &mut self.workers {
            let _ = worker.kill();
            let _ = worker.wait();
        }
        if std::thread::panicking() {
            println!("the end of the journal:\n{}", self.tail());
        }
    }
}
