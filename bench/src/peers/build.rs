//! Installs and builds the programs of peers, all of a language at once.

use super::peer::Peer;
use crate::{Result, place};
use std::fs::File;
use std::process::Command;

/// Builds what a peer needs under `target/peers`; nothing happens if it is there already.
pub(super) fn build(peer: &Peer) -> Result<()> {
    let folder = place::root().join("target/peers");
    std::fs::create_dir_all(&folder)?;
    let log = folder.join(format!("{}.log", peer.name));
    let file = File::create(&log)?;
    let script = place::root().join("bench/peers/build");
    let status = Command::new(script)
        .args([peer.language.folder(), peer.program])
        .stdout(file.try_clone()?)
        .stderr(file)
        .status()?;
    if status.success() { Ok(()) } else { Err(last_line(&std::fs::read_to_string(&log)?).into()) }
}

/// The last thing that was said is most often the reason.
fn last_line(text: &str) -> &str {
    text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no reason was given").trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_the_last_line_with_words() {
        assert_eq!(last_line("fetching\n  no such version \n\n"), "no such version");
        assert_eq!(last_line(""), "no reason was given");
    }
}
