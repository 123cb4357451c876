//! What a task carries: bytes, and how to read them.

use crate::error::Refusal;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Bytes with their format. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Payload {
    /// The bytes as they are stored.
    pub bytes: Arc<[u8]>,
    /// How to read them.
    pub format: Format,
}

/// Content type and compression of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Format {
    /// Whether the bytes are JSON; otherwise they mean something to the handler alone.
    pub json: bool,
    /// How they were made smaller.
    pub compression: Compression,
}

/// How payload bytes were made smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
#[non_exhaustive]
pub enum Compression {
    /// Not at all.
    #[default]
    None = 0,
}

impl Payload {
    /// Plain bytes.
    pub fn bytes(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self { bytes: bytes.into(), format: Format::default() }
    }

    /// A value as JSON.
    pub fn json(kind: &str, value: &impl Serialize) -> Result<Self, Refusal> {
        let bytes = serde_json::to_vec(value)
            .map_err(|fault| Refusal::Encode { kind: kind.into(), why: fault.to_string() })?;
        Ok(Self { bytes: bytes.into(), format: Format { json: true, compression: Compression::None } })
    }

    /// Reads a JSON payload.
    pub fn read<T: serde::de::DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&self.bytes)
    }

    /// Refuses one over the limit.
    pub fn check(&self, bytes_max: usize) -> Result<(), Refusal> {
        if self.len() > bytes_max { Err(Refusal::Payload { bytes: self.len(), bytes_max }) } else { Ok(()) }
    }

    /// Its size as stored.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

impl Format {
    /// The number that stores keep: the low bit says JSON, the rest the compression.
    pub const fn code(self) -> u8 {
        (self.compression as u8) << 1 | self.json as u8
    }

    /// From the number that stores keep; none for one that a later build wrote.
    pub fn from_code(code: i64) -> Option<Self> {
        match code {
            0 | 1 => Some(Self { json: code == 1, compression: Compression::None }),
            _ => None,
        }
    }
}
