//! Plain connections to the servers that the bench was given, each used by one thread without any `await`.

pub(crate) mod mysql;
pub(crate) mod postgres;
