//! Whoever adds a task, and must know in the end that it is there, once.

/// What a caller of `add` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Caller {
    pub(crate) knows: Knows,
    /// The batch in which the task travels: another one after a settling that said never.
    pub(crate) batch: u8,
}

/// How far the add is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Knows {
    /// Not sent.
    Nothing,
    /// On its way.
    Sent,
    /// The reply was lost.
    Unknown,
    /// Acknowledged.
    Told,
}

impl Caller {
    pub(crate) const fn new(adds: bool) -> Self {
        Self { knows: if adds { Knows::Nothing } else { Knows::Told }, batch: 0 }
    }
}
