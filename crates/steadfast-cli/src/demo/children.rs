//! The worker processes: started, told to drain, killed. None outlives the demo: their pipes close with the parent
//! however it ends, and dropping them kills them.

use super::line::Line;
use super::news::{News, Seat};
use super::worker::DRAIN;
use anyhow::{Context, Result};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc::UnboundedSender;

/// How many workers there are.
pub(super) const SEATS: usize = 2;

/// A worker's name by its seat. It keeps the name when it is restarted, though it is another worker then.
pub(super) fn name(seat: Seat) -> String {
    format!("worker-{}", seat + 1)
}

/// The processes, by seat.
pub(super) struct Children {
    url: String,
    news: UnboundedSender<News>,
    seats: [Option<Worker>; SEATS],
}

struct Worker {
    process: Child,
    orders: ChildStdin,
}

impl Children {
    pub(super) fn new(url: String, news: UnboundedSender<News>) -> Self {
        Self { url, news, seats: [const { None }; SEATS] }
    }

    pub(super) fn start(&mut self, seat: Seat) -> Result<()> {
        let mut process = self.command(seat)?.spawn().context("cannot start a worker")?;
        let (Some(orders), Some(lines), Some(faults)) =
            (process.stdin.take(), process.stdout.take(), process.stderr.take())
        else {
            anyhow::bail!("a worker was started without its pipes");
        };
        tokio::spawn(listen(seat, lines, faults, self.news.clone()));
        self.seats[seat] = Some(Worker { process, orders });
        Ok(())
    }

    /// Ends it as a power cut would: on Unix, `kill -9`.
    pub(super) async fn kill(&mut self, seat: Seat) -> Result<()> {
        if let Some(mut worker) = self.seats[seat].take() {
            worker.process.kill().await.context("cannot kill a worker")?;
        }
        Ok(())
    }

    /// Tells all to drain. One that cannot be told is gone, and its going is told as news.
    pub(super) async fn drain(&mut self) {
        for worker in self.seats.iter_mut().flatten() {
            let _ = worker.orders.write_all(DRAIN.as_bytes()).await;
        }
    }

    fn command(&self, seat: Seat) -> Result<Command> {
        let program = std::env::current_exe().context("cannot find the own program")?;
        let mut command = Command::new(program);
        command.args(["demo", "--keep", &self.url, "--worker", &name(seat)]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        // Ctrl-C in a terminal reaches a whole group: it is for the parent, which then drains the workers.
        #[cfg(unix)]
        command.process_group(0);
        Ok(command)
    }
}

/// Passes on what a worker says until it ends.
async fn listen(seat: Seat, lines: ChildStdout, faults: ChildStderr, news: UnboundedSender<News>) {
    let complaints = tokio::spawn(complain(seat, faults, news.clone()));
    let mut lines = BufReader::new(lines).lines();
    while let Ok(Some(text)) = lines.next_line().await {
        let said = match serde_json::from_str::<Line>(&text) {
            Ok(line) => News::Line(seat, line),
            // A line that the kill cut in half.
            Err(_) => continue,
        };
        if news.send(said).is_err() {
            return;
        }
    }
    let _ = complaints.await;
    let _ = news.send(News::Gone(seat));
}

async fn complain(seat: Seat, faults: ChildStderr, news: UnboundedSender<News>) {
    let mut faults = BufReader::new(faults).lines();
    while let Ok(Some(text)) = faults.next_line().await {
        if news.send(News::Fault(seat, text)).is_err() {
            return;
        }
    }
}
