//! Programs of a server, run by somebody who may: servers refuse to be root's.

use crate::fault::fake_clock::FakeClock;
use rustix::process::geteuid;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// Whose server it is where root runs the trials.
const OWNER: &str = "postgres";

static FOLDERS: AtomicU64 = AtomicU64::new(0);

/// A program that is run by the server's owner.
pub(crate) fn program(path: &Path) -> Command {
    if !geteuid().is_root() {
        return Command::new(path);
    }
    // It becomes the program and does not wait for it: its process is the one that may have to be killed.
    let mut command = Command::new("setpriv");
    command.args(["--reuid", OWNER, "--regid", OWNER, "--init-groups"]).arg(path).current_dir("/");
    command
}

/// The same, by a clock. It is told to the program alone: whoever changes users on the way could not go by it.
pub(crate) fn program_by(clock: Option<&FakeClock>, path: &Path) -> Command {
    let Some(clock) = clock else { return program(path) };
    let mut command = program(Path::new("env"));
    command.args(clock.variables().map(|(name, value)| format!("{name}={value}"))).arg(path);
    command
}

/// A folder that the server's owner can write to: under the build's, unless a folder above it is closed to them.
pub(crate) fn folder() -> PathBuf {
    let name = format!("cluster-{}-{}", std::process::id(), FOLDERS.fetch_add(1, Ordering::Relaxed));
    let homes = [Path::new(env!("CARGO_TARGET_TMPDIR")), Path::new("/var/tmp")];
    for folder in homes.map(|home| home.join(&name)) {
        std::fs::create_dir_all(&folder).expect("a folder");
        if !geteuid().is_root() {
            return folder;
        }
        run(Command::new("chown").arg(OWNER).arg(&folder));
        let mut reach = program(Path::new("test"));
        if quiet(reach.arg("-w").arg(&folder)).status().expect("setpriv runs").success() {
            return folder;
        }
        std::fs::remove_dir(&folder).expect("it is empty");
    }
    panic!("no folder for a server of {OWNER}");
}

/// Makes this folder one of theirs.
pub(crate) fn own(folder: PathBuf) -> PathBuf {
    std::fs::create_dir_all(&folder).expect("a folder");
    if geteuid().is_root() {
        run(Command::new("chown").arg(OWNER).arg(&folder));
    }
    folder
}

pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its number").port()
}

pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

pub(crate) fn quiet(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}

pub(crate) fn run(command: &mut Command) {
    // A server that is started here must not keep a pipe of ours open: only the status is read.
    let status = quiet(command).status().expect("the program runs");
    assert!(status.success(), "{command:?} failed: {status}");
}
