//! What a look at a store's health brings to light.

use serde::{Deserialize, Serialize};

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// How much it matters.
    pub level: Level,
    /// What was looked at, in a word or two.
    pub about: String,
    /// What was seen and, if it is not well, what to do.
    pub text: String,
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As it should be.
    Good,
    /// Tasks are safe; a person should know.
    Warning,
    /// Tasks are at risk or stand still.
    Bad,
}

impl Finding {
    /// As it should be.
    pub fn good(about: impl Into<String>, text: impl Into<String>) -> Self {
        Self { level: Level::Good, about: about.into(), text: text.into() }
    }

    /// Something to know.
    pub fn warning(about: impl Into<String>, text: impl Into<String>) -> Self {
        Self { level: Level::Warning, about: about.into(), text: text.into() }
    }

    /// Something to mend.
    pub fn bad(about: impl Into<String>, text: impl Into<String>) -> Self {
        Self { level: Level::Bad, about: about.into(), text: text.into() }
    }
}
