//! What can go wrong at a store, sorted by what the caller can do about it.

use crate::id::TaskId;
use crate::status::Status;

/// Why a store call gave no answer. Callers branch on these five alone.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The request is wrong: do not repeat it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Somebody else is in the way: repeat soon.
    #[error("the store is busy: {0}")]
    Busy(String),
    /// The store cannot be reached or cannot write: repeat later.
    #[error("the store is down: {0}")]
    Down(String),
    /// It may have happened: settle it before anything else.
    #[error("the store did not say whether it committed: {0}")]
    Unknown(String),
    /// A fault of ours: report it.
    #[error("a bug in steadfast, please report it: {0}")]
    Bug(String),
}

impl StoreError {
    /// Whether the same call may succeed when it is repeated.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Busy(_) | Self::Down(_) | Self::Unknown(_))
    }

    /// Its name in `docs/errors.md`. Texts may get better; a code stays.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Refused(refusal) => refusal.code(),
            Self::Busy(_) => "store-busy",
            Self::Down(_) => "store-down",
            Self::Unknown(_) => "commit-unknown",
            Self::Bug(_) => "bug",
        }
    }
}

/// Why a request was refused: each names the thing and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A text that must not be empty is.
    #[error("{what} is empty; give it at least one character")]
    Empty {
        /// Which field.
        what: &'static str,
    },
    /// A text is over its limit.
    #[error("{what} has {bytes} bytes, at most {bytes_max} are allowed; shorten it")]
    TooLong {
        /// Which field.
        what: &'static str,
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        bytes_max: usize,
    },
    /// A text holds NUL, a line break or another control character.
    #[error("{what} holds the control character {letter:?} at byte {at}; remove it")]
    ControlCharacter {
        /// Which field.
        what: &'static str,
        /// The character.
        letter: char,
        /// Where it stands, in bytes.
        at: usize,
    },
    /// Bytes were given for a text and are not UTF-8.
    #[error("{what} is not UTF-8 (byte {at}); encode it as UTF-8")]
    NotUtf8 {
        /// Which field.
        what: &'static str,
        /// The first bad byte.
        at: usize,
    },
    /// A priority outside 0 to 9.
    #[error("priority {0} is out of range; use 0 (most urgent) to 9")]
    Priority(i64),
    /// A time that the stores cannot keep.
    #[error("{what} {micros} µs since 1970 is out of range; use a time from 1970 to 9999")]
    Time {
        /// Which field.
        what: &'static str,
        /// The time that was given.
        micros: i128,
    },
    /// A payload over its limit.
    #[error(
        "payload of {bytes} bytes is over the limit of {bytes_max}; store it elsewhere and pass a reference"
    )]
    Payload {
        /// Its size.
        bytes: usize,
        /// The limit.
        bytes_max: usize,
    },
    /// A payload that could not be turned into bytes.
    #[error("payload of kind `{kind}` cannot be written as JSON: {why}")]
    Encode {
        /// The task's kind.
        kind: String,
        /// What the encoder said.
        why: String,
    },
    /// Both an own id and a key were given.
    #[error("a task has either its own id or a key, not both; drop `{0}`")]
    TwoKeys(String),
    /// The key names a task already, and its adder wants no repeat.
    #[error("key `{key}` belongs to task {first}; see what became of that one")]
    KeyUsed {
        /// The key.
        key: String,
        /// Whose it is.
        first: TaskId,
    },
    /// Told what to do about a repeat, but not what a repeat is.
    #[error("a repeat is known by its key and there is none; give the task a key or an own id")]
    RepeatWithoutKey,
    /// More tasks than one transaction should hold.
    #[error("more than {n_max} tasks in one call; make several calls")]
    TooMany {
        /// How many may go together.
        n_max: usize,
    },
    /// Nothing has this id.
    #[error("no task {0}; it may have been finished and cleaned")]
    NoTask(TaskId),
    /// The task changed since it was looked at.
    #[error("task {id} changed meanwhile (now version {version}, {status}); look again and repeat")]
    Stale {
        /// The task.
        id: TaskId,
        /// Its version now.
        version: i64,
        /// Its status now.
        status: Status,
    },
    /// The act does not fit the task's status.
    #[error("cannot {deed} task {id}: it is {status}")]
    Status {
        /// The task.
        id: TaskId,
        /// What was wanted.
        deed: &'static str,
        /// Its status.
        status: Status,
    },
    /// Running once more would need a key that another task holds by now.
    #[error("cannot run task {id} again: its key belongs to task {holder} now; see what became of that one")]
    KeyTaken {
        /// The task.
        id: TaskId,
        /// Who has the key.
        holder: TaskId,
    },
    /// The payload was dropped when the task ended.
    #[error("cannot run task {0} again: its payload was not kept; add a new task")]
    PayloadGone(TaskId),
    /// A cursor that this build did not write.
    #[error("cursor `{0}` is not valid; start again without one")]
    Cursor(String),
    /// A text that is no token of a run.
    #[error("`{0}` is no token; pass the text of Run::token unchanged")]
    Token(String),
    /// The receipt of this batch exists: it was committed or settled before.
    #[error("receipt {0} was used before; the batch was committed or settled, do not send it again")]
    Receipt(uuid::Uuid),
    /// Wrong settings.
    #[error("{0}")]
    Config(String),
    /// The database cannot be used as it is.
    #[error("{0}")]
    Database(String),
    /// A later build made the database's tables.
    #[error("{0}")]
    NewerSchema(String),
    /// The caller's own connection is not in a transaction that may write.
    #[error("tasks are added inside a transaction that holds the write lock; begin it as immediate")]
    NoWriteLock,
    /// A call in a transaction was dropped before its end: half of it may have been done.
    #[error("a call in this transaction was dropped before its end, so all of it is taken back; begin again")]
    Interrupted,
    /// Effects were handed to a store that did not make them.
    #[error(
        "effects made for {made_for} cannot be carried out by {store}, or were carried out before; make new ones with the store that the engine runs on"
    )]
    ForeignEffects {
        /// Whose they are.
        made_for: &'static str,
        /// Who was asked.
        store: &'static str,
    },
    /// Effects that hold up the store asked the engine for something.
    #[error(
        "effects hold up the store, so they cannot ask the engine for anything; use the run's transaction (`add_in` adds tasks in it)"
    )]
    InsideEffects,
}

impl Refusal {
    /// Its name in `docs/errors.md`. Texts may get better; a code stays.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Empty { .. } => "empty-text",
            Self::TooLong { .. } => "text-too-long",
            Self::ControlCharacter { .. } => "control-character",
            Self::NotUtf8 { .. } => "not-utf8",
            Self::Priority(_) => "priority-out-of-range",
            Self::Time { .. } => "time-out-of-range",
            Self::Payload { .. } => "payload-too-large",
            Self::Encode { .. } => "payload-not-json",
            Self::TwoKeys(_) => "two-keys",
            Self::KeyUsed { .. } => "key-used",
            Self::RepeatWithoutKey => "repeat-without-key",
            Self::TooMany { .. } => "too-many-tasks",
            Self::NoTask(_) => "no-task",
            Self::Stale { .. } => "stale-version",
            Self::Status { .. } => "wrong-status",
            Self::KeyTaken { .. } => "key-taken",
            Self::PayloadGone(_) => "payload-gone",
            Self::Cursor(_) => "bad-cursor",
            Self::Token(_) => "bad-token",
            Self::Receipt(_) => "receipt-used",
            Self::Config(_) => "wrong-settings",
            Self::Database(_) => "database-unusable",
            Self::NewerSchema(_) => "newer-schema",
            Self::NoWriteLock => "no-write-lock",
            Self::Interrupted => "transaction-interrupted",
            Self::ForeignEffects { .. } => "foreign-effects",
            Self::InsideEffects => "inside-effects",
        }
    }
}
