//! How payload bytes are made smaller, and which ones. The algorithms themselves are the engine's.

use crate::error::Refusal;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How payload bytes were made smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// As gzip: everybody can open it.
    Gzip,
    /// As an LZ4 frame: fast, and less small.
    Lz4,
    /// As a Zstandard frame: smaller than gzip, and faster.
    Zstd,
    /// By an algorithm of a later build, with its number. It can be kept, but not opened.
    #[serde(skip)]
    Unknown(u8),
}

/// The rule of a kind, or of one task: how its payloads are made smaller, and from which size on.
///
/// ```
/// use steadfast_core::{Compress, Compression, Policy};
///
/// let mut policy = Policy::default();
/// policy.compression = Compress { algorithm: Compression::Zstd, bytes_min: 4096 };
/// // The same with the usual size.
/// policy.compression = Compress::with(Compression::Zstd);
/// assert_eq!(policy.compression.bytes_min, 1024);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compress {
    /// By which algorithm.
    pub algorithm: Compression,
    /// Payloads under this size stay as they are, in bytes.
    pub bytes_min: usize,
}

/// Below this, packing mostly costs more than it saves.
const BYTES_MIN: usize = 1024;
/// The numbers that fit into a [`Format`](crate::Format)'s three bits.
const CODE_MAX: u8 = 7;

impl Compress {
    /// By this algorithm from 1 KiB on.
    pub const fn with(algorithm: Compression) -> Self {
        Self { algorithm, bytes_min: BYTES_MIN }
    }

    /// Whether nothing is made smaller.
    pub fn is_none(&self) -> bool {
        self.algorithm == Compression::None
    }

    /// Refuses an algorithm that nobody has.
    pub(crate) fn check(self) -> Result<(), Refusal> {
        match self.algorithm {
            Compression::Unknown(_) => {
                Err(Refusal::Config(format!("compression is {}; use gzip, lz4 or zstd", self.algorithm)))
            }
            _ => Ok(()),
        }
    }
}

impl Default for Compress {
    fn default() -> Self {
        Self::with(Compression::None)
    }
}

impl Compression {
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Gzip => 1,
            Self::Lz4 => 2,
            Self::Zstd => 3,
            Self::Unknown(code) => code & CODE_MAX,
        }
    }

    pub(crate) const fn from_code(code: u8) -> Self {
        match code & CODE_MAX {
            0 => Self::None,
            1 => Self::Gzip,
            2 => Self::Lz4,
            3 => Self::Zstd,
            code => Self::Unknown(code),
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => out.write_str("none"),
            Self::Gzip => out.write_str("gzip"),
            Self::Lz4 => out.write_str("lz4"),
            Self::Zstd => out.write_str("zstd"),
            Self::Unknown(code) => write!(out, "algorithm {code}"),
        }
    }
}
