//! `steadfast demo` as a user meets it: as plain lines, on a terminal, stopped by Ctrl-C, killed.
//!
//! On Linux only, where a process that is not our own child can be waited for.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, clippy::unwrap_used)]

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, ChildStdout, Command, Stdio};

/// For broken code; nothing depends on it.
const PATIENCE: Timespec = Timespec { tv_sec: 60, tv_nsec: 0 };

fn demo(payouts: u32) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
    command.args(["demo", "--payouts", &payouts.to_string()]).stdin(Stdio::null());
    command
}

/// A demo that is watched line by line.
struct Watched {
    process: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
    said: Vec<String>,
    /// The workers it has started.
    workers: Vec<OwnedFd>,
    /// Where its database is: a demo that is killed cannot remove it.
    _dir: tempfile::TempDir,
}

impl Watched {
    fn start(payouts: u32) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let mut command = demo(payouts);
        command.env("TMPDIR", dir.path()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the demo starts");
        let lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        Self { process, lines, said: Vec::new(), workers: Vec::new(), _dir: dir }
    }

    /// Reads on until a line with this, or to the end.
    fn read_until(&mut self, wanted: &str) {
        for line in self.lines.by_ref() {
            let line = line.expect("a line");
            if let Some((_, process)) = line.split_once("works, as process ") {
                let process = Pid::from_raw(process.parse().expect("a number")).expect("not zero");
                self.workers.push(pidfd_open(process, PidfdFlags::empty()).expect("the worker lives"));
            }
            self.said.push(line);
            if self.said.last().is_some_and(|line| line.contains(wanted)) {
                return;
            }
        }
        assert_eq!(wanted, END, "the demo ended before that, with\n{}", self.said.join("\n"));
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process), signal).expect("the demo lives");
    }

    fn exit_code(&mut self) -> Option<i32> {
        self.process.wait().expect("it was started").code()
    }

    fn check_no_worker_is_left(&self) {
        assert!(self.workers.len() > 1, "no workers were seen in\n{}", self.said.join("\n"));
        for worker in &self.workers {
            let ended = poll(&mut [PollFd::new(worker, PollFlags::IN)], Some(&PATIENCE)).expect("a poll");
            assert_eq!(ended, 1, "a worker is left behind");
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// No line has this.
const END: &str = "\0";

/// The number in a line of the summary.
fn sum(said: &[String], name: &str) -> u64 {
    let line = said.iter().find_map(|line| line.strip_prefix("  ")?.strip_prefix(name));
    let line = line.unwrap_or_else(|| panic!("no `{name}` in\n{}", said.join("\n")));
    let number = line.split_whitespace().next().expect("a number").replace(',', "");
    number.parse().expect("a number")
}

fn check_sums(said: &[String], left: std::ops::RangeInclusive<u64>) {
    assert_eq!(said.last().map(String::as_str), Some("All sums add up."), "\n{}", said.join("\n"));
    let [added, done, error, rest] = ["added", "done", "error", "left"].map(|name| sum(said, name));
    assert_eq!(added, done + error + rest, "\n{}", said.join("\n"));
    assert!(left.contains(&rest), "{rest} left of {added}");
    assert_eq!(sum(said, "finished twice"), 0);
}

#[test]
fn a_small_demo_ends_by_itself_with_right_sums() {
    let mut demo = Watched::start(100);
    demo.read_until("worker-2 killed in mid-work");
    demo.read_until("lease of worker-2 ended");
    demo.read_until("worker-2 works");
    demo.read_until(END);
    assert_eq!(demo.exit_code(), Some(0));
    check_sums(&demo.said, 0..=0);
    assert!(sum(&demo.said, "lost runs") > 0, "nothing ran when the worker was killed");
    assert_eq!(sum(&demo.said, "error"), 3);
    assert!(!demo.said.join("").contains('\x1b'), "escape codes without a terminal");
    demo.check_no_worker_is_left();
}

#[test]
fn ctrl_c_drains_and_sums_up_what_is_left() {
    let mut demo = Watched::start(20_000);
    demo.read_until("works");
    demo.read_until("works");
    // The closed accounts are behind the backlog: by now all of it is added.
    demo.read_until("error 3");
    demo.signal(Signal::INT);
    demo.read_until(END);
    assert_eq!(demo.exit_code(), Some(130));
    check_sums(&demo.said, 1..=u64::MAX);
    demo.check_no_worker_is_left();
}

#[test]
fn a_killed_demo_leaves_no_worker_behind() {
    let mut demo = Watched::start(20_000);
    demo.read_until("works");
    demo.read_until("works");
    demo.signal(Signal::KILL);
    assert_eq!(demo.exit_code(), None);
    demo.check_no_worker_is_left();
}

#[test]
fn a_worker_that_somebody_kills_is_started_again() {
    let mut demo = Watched::start(100);
    demo.read_until("works");
    pidfd_send_signal(&demo.workers[0], Signal::KILL).expect("the worker lives");
    demo.read_until("not by us");
    demo.read_until(END);
    assert_eq!(demo.exit_code(), Some(0));
    check_sums(&demo.said, 0..=0);
    demo.check_no_worker_is_left();
}

#[test]
fn a_file_that_is_there_is_refused_and_a_new_one_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("tasks.db");
    let url = format!("sqlite:{}", file.display());
    let kept = demo(1).args(["--keep", &url]).output().unwrap();
    assert!(kept.status.success(), "{kept:?}");
    assert!(String::from_utf8_lossy(&kept.stdout).contains("The database is kept in "));
    let refused = demo(1).args(["--keep", &url]).output().unwrap();
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("exists already"), "{refused:?}");
}

#[test]
fn a_terminal_is_given_back() {
    let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&keyboard).unwrap();
    unlockpt(&keyboard).unwrap();
    tcsetwinsize(&keyboard, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let name = ptsname(&keyboard, Vec::new()).unwrap();
    let terminal = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let mut process = demo(20_000)
        .env("TERM", "xterm-256color")
        .stdin(terminal.try_clone().unwrap())
        .stdout(terminal)
        .spawn()
        .expect("the demo starts");
    let mut keyboard = File::from(keyboard);
    let (mut seen, mut part) = (String::new(), [0; 4096]);
    let mut asked = false;
    // The terminal hangs up when nobody has it open any more, which reads as an error.
    while let Ok(bytes @ 1..) = keyboard.read(&mut part) {
        seen.push_str(&String::from_utf8_lossy(&part[..bytes]));
        // Blanks are not drawn, so only single words are to be found.
        if !asked && seen.contains("happened") {
            keyboard.write_all(b"q").unwrap();
            asked = true;
        }
    }
    assert_eq!(process.wait().unwrap().code(), Some(130), "{seen}");
    let (_, after) = seen.rsplit_once("\x1b[?1049l").expect("the terminal is given back");
    assert!(after.contains("All sums add up."), "{after}");
    assert!(seen.starts_with("\x1b[?1049h"), "the terminal is taken over first");
}
