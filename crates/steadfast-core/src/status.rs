//! What the engine is doing with a task, and the moves it may make.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Belongs to the engine; the application's own state is the task's step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Status {
    /// Before its time.
    Waiting = 1,
    /// Behind another task of its serial key.
    Held = 2,
    /// Stopped by an operator.
    Paused = 3,
    /// May be grabbed.
    Ready = 4,
    /// Held by a worker.
    Running = 5,
    /// Finished later, by token.
    Parked = 6,
    /// Ended well.
    Done = 7,
    /// Needs a person.
    Error = 8,
    /// A person acknowledged the error.
    Failed = 9,
    /// A person ended it.
    Cancelled = 10,
}

impl Status {
    /// All of them, in the order of their codes.
    pub const ALL: [Self; 10] = [
        Self::Waiting,
        Self::Held,
        Self::Paused,
        Self::Ready,
        Self::Running,
        Self::Parked,
        Self::Done,
        Self::Error,
        Self::Failed,
        Self::Cancelled,
    ];

    /// The number that stores keep.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// From the number that stores keep.
    pub fn from_code(code: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|status| i64::from(status.code()) == code)
    }

    /// Its name, as written everywhere.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Held => "held",
            Self::Paused => "paused",
            Self::Ready => "ready",
            Self::Running => "running",
            Self::Parked => "parked",
            Self::Done => "done",
            Self::Error => "error",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the task has left the hot table. `error` has not: it is living and keeps its key.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }

    /// Whether a task of this status stands at the head of its serial key and blocks those behind it.
    pub const fn is_head(self) -> bool {
        matches!(
            self,
            Self::Waiting | Self::Ready | Self::Running | Self::Parked | Self::Paused | Self::Error
        )
    }

    /// Whether a worker is named in the row: only then can a holder's write match.
    pub const fn has_holder(self) -> bool {
        matches!(self, Self::Running | Self::Parked)
    }

    /// The table of legal moves.
    pub fn may_become(self, next: Self) -> bool {
        use Status::{Cancelled, Done, Error, Failed, Held, Parked, Paused, Ready, Running, Waiting};
        let legal: &[Self] = match self {
            Waiting => &[Ready, Running, Paused, Cancelled],
            Held | Paused => &[Waiting, Ready, Cancelled],
            Ready => &[Waiting, Running, Paused, Cancelled],
            Running => &[Waiting, Ready, Running, Parked, Paused, Done, Error, Failed, Cancelled],
            Parked => &[Waiting, Ready, Running, Paused, Done, Error, Failed, Cancelled],
            Error => &[Waiting, Ready, Held, Failed, Cancelled],
            Done | Failed | Cancelled => &[Waiting, Ready, Held],
        };
        legal.contains(&next)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl std::str::FromStr for Status {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or_else(|| {
            format!("unknown status `{text}` (known: {})", Self::ALL.map(Self::as_str).join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_come_back() {
        for status in Status::ALL {
            assert_eq!(Status::from_code(status.code().into()), Some(status));
            assert_eq!(status.as_str().parse(), Ok(status));
        }
        assert_eq!(Status::from_code(0), None);
        assert!("gone".parse::<Status>().unwrap_err().starts_with("unknown status `gone` (known: waiting"));
    }

    #[test]
    fn a_holder_exists_only_while_running_or_parked() {
        let holders: Vec<_> = Status::ALL.into_iter().filter(|status| status.has_holder()).collect();
        assert_eq!(holders, [Status::Running, Status::Parked]);
    }

    #[test]
    fn a_final_task_comes_back_only_to_where_it_can_be_grabbed_from() {
        for from in Status::ALL.into_iter().filter(|status| status.is_final()) {
            for to in Status::ALL {
                let legal = matches!(to, Status::Waiting | Status::Ready | Status::Held);
                assert_eq!(from.may_become(to), legal, "{from} to {to}");
            }
        }
    }
}
