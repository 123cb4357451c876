//! Asking before many tasks are touched.

use crate::exit::Usage;
use std::io::{BufRead, IsTerminal, Write};

/// Whether to go on. Without a terminal nobody can be asked, and one must say so beforehand: `instead` says how.
pub(crate) fn confirm(question: &str, instead: &str, yes: bool) -> anyhow::Result<bool> {
    if yes {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() {
        return Err(Usage(format!("{question} Nobody can be asked here: {instead}")).into());
    }
    let mut stderr = std::io::stderr();
    write!(stderr, "{question} [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
