//! What can be seen of a cluster, one line of text an event.

use super::row::Row;
use std::fmt;
use std::str::{FromStr, SplitWhitespace};
use steadfast_core::Status;

/// Something that was seen: at the store, in a handler, or at the hands of whoever breaks things.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are named after what they hold; docs/model.md has the list")]
pub enum Event {
    /// A caller calls add.
    Try { call: u64 },
    /// It was told of its task.
    Told { call: u64, task: String },
    /// It was told that nothing was added.
    Refused { call: u64 },
    /// A task's row is like this now.
    Row(Row),
    /// The store gave a task to a worker, whose call was sent then.
    Grant { task: String, grant: i64, worker: String, sent: u64 },
    /// A handler began in a process.
    Start { task: String, node: String },
    /// It ended there, or was dropped.
    Stop { task: String, node: String },
    /// Effects were committed.
    Effect { task: String },
    /// A system outside that compares tokens was shown one.
    Token { task: String, grant: i64, taken: bool },
    /// The store answered a holder's finish; no status means lost.
    Finish { task: String, grant: i64, worker: String, status: Option<Status> },
    /// A person did something to a task.
    Act { task: String, deed: String, version: i64 },
    /// The row that was written about it.
    Audit { task: String, deed: String, who: String, version: i64 },
    /// Runs of a kind bring effects.
    Effects { kind: String },
    /// At most so many runs of a kind at once.
    Limit { kind: String, max: u64 },
    /// So many slots of a process are taken after it has nothing to do.
    Slots { node: String, used: u64 },
    /// A cron line fired for a time and made a task.
    Tick { line: String, time: u64, task: String },
    /// A process registered as a worker.
    Worker { worker: String, node: String },
    /// A process began to drain.
    Drain { node: String },
    /// Something that must stay small has this size.
    Size { what: String, n: u64, max: u64 },
    /// Something was broken.
    Fault { what: String },
    /// Nothing is broken any more; all must end within so many microseconds.
    Peace { within: u64 },
}

impl fmt::Display for Event {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Try { call } => write!(out, "try {call}"),
            Self::Told { call, task } => write!(out, "told {call} {task}"),
            Self::Refused { call } => write!(out, "refused {call}"),
            Self::Row(row) => write!(out, "row {row}"),
            Self::Grant { task, grant, worker, sent } => write!(out, "grant {task} {grant} {worker} {sent}"),
            Self::Start { task, node } => write!(out, "start {task} {node}"),
            Self::Stop { task, node } => write!(out, "stop {task} {node}"),
            Self::Effect { task } => write!(out, "effect {task}"),
            Self::Token { task, grant, taken: true } => write!(out, "token {task} {grant} taken"),
            Self::Token { task, grant, taken: false } => write!(out, "token {task} {grant} refused"),
            Self::Finish { task, grant, worker, status } => {
                let answer = status.map_or("lost", Status::as_str);
                write!(out, "finish {task} {grant} {worker} {answer}")
            }
            Self::Act { task, deed, version } => write!(out, "act {task} {deed} {version}"),
            Self::Audit { task, deed, who, version } => write!(out, "audit {task} {deed} {who} {version}"),
            Self::Effects { kind } => write!(out, "effects {kind}"),
            Self::Limit { kind, max } => write!(out, "limit {kind} {max}"),
            Self::Slots { node, used } => write!(out, "slots {node} {used}"),
            Self::Tick { line, time, task } => write!(out, "tick {line} {time} {task}"),
            Self::Worker { worker, node } => write!(out, "worker {worker} {node}"),
            Self::Drain { node } => write!(out, "drain {node}"),
            Self::Size { what, n, max } => write!(out, "size {what} {n} {max}"),
            Self::Fault { what } => write!(out, "fault {what}"),
            Self::Peace { within } => write!(out, "peace {within}"),
        }
    }
}

impl FromStr for Event {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let mut words = Words(rest.split_whitespace());
        let w = &mut words;
        let event = match word {
            "try" => Self::Try { call: w.number()? },
            "told" => Self::Told { call: w.number()?, task: w.word()? },
            "refused" => Self::Refused { call: w.number()? },
            "row" => return rest.parse().map(Self::Row),
            "grant" => {
                Self::Grant { task: w.word()?, grant: w.number()?, worker: w.word()?, sent: w.number()? }
            }
            "start" => Self::Start { task: w.word()?, node: w.word()? },
            "stop" => Self::Stop { task: w.word()?, node: w.word()? },
            "effect" => Self::Effect { task: w.word()? },
            "token" => Self::Token { task: w.word()?, grant: w.number()?, taken: w.word()? == "taken" },
            "finish" => Self::Finish {
                task: w.word()?,
                grant: w.number()?,
                worker: w.word()?,
                status: w.word()?.parse().ok(),
            },
            "act" => Self::Act { task: w.word()?, deed: w.word()?, version: w.number()? },
            "audit" => Self::Audit { task: w.word()?, deed: w.word()?, who: w.word()?, version: w.number()? },
            "effects" => Self::Effects { kind: w.word()? },
            "limit" => Self::Limit { kind: w.word()?, max: w.number()? },
            "slots" => Self::Slots { node: w.word()?, used: w.number()? },
            "tick" => Self::Tick { line: w.word()?, time: w.number()?, task: w.word()? },
            "worker" => Self::Worker { worker: w.word()?, node: w.word()? },
            "drain" => Self::Drain { node: w.word()? },
            "size" => Self::Size { what: w.word()?, n: w.number()?, max: w.number()? },
            "fault" => Self::Fault { what: w.word()? },
            "peace" => Self::Peace { within: w.number()? },
            _ => return Err(format!("unknown event `{word}` in `{text}`")),
        };
        match words.0.next() {
            None => Ok(event),
            Some(more) => Err(format!("`{more}` is too much in `{text}`")),
        }
    }
}

/// The words of a line.
struct Words<'a>(SplitWhitespace<'a>);

impl Words<'_> {
    fn word(&mut self) -> Result<String, String> {
        self.0.next().map(str::to_owned).ok_or_else(|| "a line ends too early".to_owned())
    }

    fn number<N: FromStr>(&mut self) -> Result<N, String> {
        let word = self.word()?;
        word.parse().map_err(|_| format!("`{word}` is no number"))
    }
}
