//! What can go wrong for a caller of the engine.

use steadfast_core::{Refusal, StoreError};

/// The error for people; branch on the [`StoreError`] inside.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The store said no, or could not be asked.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The engine ended before it could answer, mostly because its runtime did.
    #[error("the engine has stopped; start another one")]
    Stopped,
    /// Two handlers for one kind, or for one step of it: all that have two.
    #[error("two handlers for {0}; keep one of each")]
    TwoHandlers(String),
    /// A kind that this engine does not handle.
    #[error("no handler for `{kind}` in this engine (known: {known})")]
    NoHandler {
        /// The kind that was named.
        kind: String,
        /// Those that it handles.
        known: String,
    },
    /// The engine cannot take a task over now.
    #[error(
        "this engine takes no tasks now: it drains or is out of contact; ask another one, or again later"
    )]
    TakesNone,
    /// A URL that names no store of this build.
    #[error("cannot connect to `{url}`: {why}")]
    Url {
        /// The URL without its secrets.
        url: String,
        /// What to do.
        why: String,
    },
    /// The engine's store is of another type than was asked for.
    #[error("the store is no {0}; ask for the type of the store that the engine is connected to")]
    OtherStore(&'static str),
    /// The run's grant is lost: somebody else has the task by now.
    #[error("the grant is lost; the task is no longer this run's")]
    Lost,
}

impl Error {
    /// Its name in `docs/errors.md`, for logs, metrics and searches. Texts may get better; a code stays.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let error = steadfast::connect("oracle:tasks").await.unwrap_err();
    /// assert_eq!(error.code(), "unknown-url");
    /// # }
    /// ```
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Store(error) => error.code(),
            Self::Stopped => "engine-stopped",
            Self::TwoHandlers(_) => "two-handlers",
            Self::NoHandler { .. } => "no-handler",
            Self::TakesNone => "takes-no-tasks",
            Self::Url { .. } => "unknown-url",
            Self::OtherStore(_) => "other-store",
            Self::Lost => "grant-lost",
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Store(StoreError::Refused(refusal))
    }
}

/// A result with the engine's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;
