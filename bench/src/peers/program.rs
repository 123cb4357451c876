//! A peer's program while it runs: heard on its standard output, watched from outside, ended in time.

use super::answer::{self, Answer, Line};
use crate::server::Server;
use crate::{Result, meter};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// A run that takes longer than this is not worth waiting for.
const PATIENCE: Duration = Duration::from_secs(60);

/// Killed when it is dropped before its end.
pub(super) struct Program {
    child: Child,
    lines: Receiver<Line>,
    deadline: Instant,
}

/// What a process and the server used, from its beginning to its answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    pub(super) cpu_ms: f64,
    pub(super) server_cpu_ms: Option<f64>,
    pub(super) rss_mb: f64,
}

impl Program {
    /// Starts it; what it says on its error stream goes to the log.
    pub(super) fn start(mut command: Command, log: &File) -> Result<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log.try_clone()?).spawn();
        let mut child = child.map_err(|error| format!("cannot start {name}: {error}"))?;
        let output = child.stdout.take().ok_or("no standard output")?;
        Ok(Self { child, lines: listen(output), deadline: Instant::now() + PATIENCE })
    }

    /// Waits until what is measured begins.
    pub(super) fn wait_until_began(&self) -> Result<()> {
        match self.next()? {
            Line::Began { .. } => Ok(()),
            Line::Answer(answer) => Err(format!("it answered before it began: {answer:?}").into()),
        }
    }

    /// Waits for its answer and sees it end.
    pub(super) fn finish(mut self, server: Option<Server>) -> Result<(Answer, Cost)> {
        let before = self.spent(server)?;
        let Line::Answer(answer) = self.next()? else { return Err("it began twice".into()) };
        let after = self.spent(server)?;
        let cost = Cost {
            cpu_ms: after.0 - before.0,
            server_cpu_ms: after.1.zip(before.1).map(|(after, before)| after - before),
            rss_mb: meter::rss_peak_mb(&self.child.id().to_string())?,
        };
        // It stays for us to look at until its standard input ends.
        drop(self.child.stdin.take());
        self.child.wait()?;
        Ok((answer, cost))
    }

    fn spent(&self, server: Option<Server>) -> Result<(f64, Option<f64>)> {
        Ok((meter::cpu_ms(&self.child.id().to_string())?, server.map(Server::cpu_ms).transpose()?))
    }

    fn next(&self) -> Result<Line> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).map_err(|error| match error {
            mpsc::RecvTimeoutError::Timeout => format!("no answer within {PATIENCE:?}").into(),
            mpsc::RecvTimeoutError::Disconnected => "it ended without an answer".into(),
        })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Fails where it has ended, which is well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What it says to us, from a thread that ends with it.
fn listen(output: ChildStdout) -> Receiver<Line> {
    let (said, lines) = mpsc::channel();
    std::thread::spawn(move || {
        let read = BufReader::new(output).lines().map_while(std::result::Result::ok);
        for line in read.filter_map(|line| answer::parse(&line)) {
            if said.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str) -> Result<Answer> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let program = Program::start(command, &File::options().write(true).open("/dev/null")?)?;
        program.wait_until_began()?;
        Ok(program.finish(None)?.0)
    }

    #[test]
    fn a_program_begins_answers_and_ends_with_its_input() {
        let answer = run(
            r#"echo chatter; echo '{"began":true}'; echo '{"tasks":1,"seconds":2,"missing":0,"doubled":0}'; cat"#,
        );
        assert!((answer.unwrap().seconds - 2.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_program_without_an_answer_is_a_fault() {
        let fault = |script| run(script).unwrap_err().to_string();
        assert_eq!(fault("true"), "it ended without an answer");
        assert_eq!(fault(r#"echo '{"began":true}'; exec >&-; cat"#), "it ended without an answer");
    }
}
