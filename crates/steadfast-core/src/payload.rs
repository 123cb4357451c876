//! What a task carries: bytes, and how to read them.

use crate::compression::Compression;
use crate::error::Refusal;
use serde::Serialize;
use std::sync::Arc;

/// Bytes with their format. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Payload {
    /// The bytes as they are stored.
    pub bytes: Arc<[u8]>,
    /// How to read them.
    pub format: Format,
}

/// Content type, compression and version of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Format {
    /// Whether the bytes are JSON; otherwise they mean something to the handler alone.
    pub json: bool,
    /// How they were made smaller.
    pub compression: Compression,
    /// The version of the payload's type, by which a handler knows how to read an older one.
    pub version: u32,
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
        Ok(Self { bytes: bytes.into(), format: Format { json: true, ..Format::default() } })
    }

    /// As this version of its type; 0 unless said.
    #[must_use]
    pub fn version(mut self, version: u32) -> Self {
        self.format.version = version;
        self
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
    /// The number that stores keep: the low bit says JSON, the next three the compression, the rest the version.
    pub fn code(self) -> i64 {
        i64::from(self.version) << 4 | i64::from(self.compression.code()) << 1 | i64::from(self.json)
    }

    /// From the number that stores keep; none for one that nobody can have written.
    pub fn from_code(code: i64) -> Option<Self> {
        let version = u32::try_from(code >> 4).ok()?;
        let compression = Compression::from_code(u8::try_from(code >> 1 & 7).ok()?);
        Some(Self { json: code & 1 == 1, compression, version })
    }
}
