//! Settings from a file.

use crate::args::Color;
use crate::exit::Usage;
use serde::Deserialize;
use std::io::ErrorKind;
use std::path::Path;

/// Read if it is there and no other file is named.
const FILE: &str = "steadfast.toml";

/// What every command goes by.
pub(crate) struct Global {
    pub(crate) database: String,
    pub(crate) json: bool,
    pub(crate) color: anstream::ColorChoice,
}

/// What may stand in the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) database: Option<String>,
    pub(crate) color: Option<Color>,
}

impl Config {
    /// Reads the file that was named, or the usual one if it is there.
    pub(crate) fn read(named: Option<&Path>) -> anyhow::Result<Self> {
        let path = named.unwrap_or(Path::new(FILE));
        let shown = path.display();
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(fault) if fault.kind() == ErrorKind::NotFound && named.is_none() => {
                return Ok(Self::default());
            }
            Err(fault) => {
                return Err(Usage(format!("configuration `{shown}` cannot be read: {fault}")).into());
            }
        };
        toml::from_str(&text).map_err(|fault| {
            let fault = fault.to_string();
            Usage(format!("configuration `{shown}` is not valid:\n{}", fault.trim_end())).into()
        })
    }
}
