//! What the store keeps of a task, and what its holder was given of it: as little as the rules look at.

use crate::names::{Life, TaskNo};
use std::fmt;
use steadfast_core::Status;

/// A task in the hot table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Row {
    pub(crate) status: Status,
    pub(crate) grant: u8,
    pub(crate) worker: Option<Life>,
    pub(crate) attempt: u8,
}

/// What a worker was told when it got a task: its fence, and the attempt, which is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Token {
    pub(crate) task: TaskNo,
    pub(crate) grant: u8,
    pub(crate) worker: Life,
    pub(crate) attempt: u8,
}

/// Where a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// Not added yet.
    Nowhere,
    /// In the hot table.
    Living(Row),
    /// Gone from it, ended like this.
    Ended(Status),
}

impl Row {
    pub(crate) fn granted(token: Token) -> Self {
        let Token { grant, worker, attempt, .. } = token;
        Self { status: Status::Running, grant, worker: Some(worker), attempt }
    }

    /// What its holder has in hand; none when nobody holds it.
    pub(crate) fn token(self, task: TaskNo) -> Option<Token> {
        let Self { grant, attempt, .. } = self;
        self.worker.map(|worker| Token { task, grant, worker, attempt })
    }
}

impl Place {
    pub(crate) fn row(self) -> Option<Row> {
        match self {
            Self::Living(row) => Some(row),
            Self::Nowhere | Self::Ended(_) => None,
        }
    }

    /// The row's place: what is final leaves the hot table.
    pub(crate) fn of(row: Row) -> Self {
        if row.status.is_final() { Self::Ended(row.status) } else { Self::Living(row) }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} (grant {} to {})", self.task, self.grant, self.worker)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nowhere => out.write_str("nowhere"),
            Self::Ended(status) => status.fmt(out),
            Self::Living(Row { status, grant, worker: Some(worker), .. }) => {
                write!(out, "{status} under grant {grant} of {worker}")
            }
            Self::Living(Row { status, grant, .. }) => write!(out, "{status} after grant {grant}"),
        }
    }
}
