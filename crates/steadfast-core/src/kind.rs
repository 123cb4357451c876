//! Kinds and buckets: which handler, which shard.

use crate::error::Refusal;
use crate::limit::{BUCKET_BYTES_MAX, KIND_BYTES_MAX};
use crate::text;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// What a task is: the name by which its handler is found.
///
/// A kind may carry a suffix after a bar (`PAY|PARTNER`): the handler is found by the part before it, limits
/// and order look at the whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Kind(Arc<str>);

impl Kind {
    /// Checks a kind: not empty, at most 200 bytes, no control characters.
    ///
    /// ```
    /// use steadfast_core::Kind;
    /// assert!(Kind::new("mail.welcome").is_ok());
    /// assert_eq!(Kind::new("").unwrap_err().to_string(), "kind is empty; give it at least one character");
    /// ```
    pub fn new(name: impl AsRef<str>) -> Result<Self, Refusal> {
        text::check("kind", name.as_ref(), KIND_BYTES_MAX)?;
        Ok(Self(name.as_ref().into()))
    }

    /// The same for bytes that may not be UTF-8.
    pub fn from_bytes(name: &[u8]) -> Result<Self, Refusal> {
        Self::new(text::from_bytes("kind", name)?)
    }

    /// The whole name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part that names the handler: what stands before the bar.
    pub fn base(&self) -> &str {
        self.0.split_once('|').map_or(&self.0, |(base, _)| base)
    }
}

/// A shard of the tasks with a table and slots of its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Bucket(Arc<str>);

impl Bucket {
    /// Checks a bucket's name: not empty, at most 100 bytes, no control characters.
    pub fn new(name: impl AsRef<str>) -> Result<Self, Refusal> {
        text::check("bucket", name.as_ref(), BUCKET_BYTES_MAX)?;
        Ok(Self(name.as_ref().into()))
    }

    /// Its name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Bucket {
    fn default() -> Self {
        Self("default".into())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl fmt::Display for Bucket {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl TryFrom<String> for Kind {
    type Error = Refusal;

    fn try_from(name: String) -> Result<Self, Refusal> {
        Self::new(name)
    }
}

impl From<Kind> for String {
    fn from(kind: Kind) -> Self {
        kind.0.as_ref().into()
    }
}

impl TryFrom<String> for Bucket {
    type Error = Refusal;

    fn try_from(name: String) -> Result<Self, Refusal> {
        Self::new(name)
    }
}

impl From<Bucket> for String {
    fn from(bucket: Bucket) -> Self {
        bucket.0.as_ref().into()
    }
}
