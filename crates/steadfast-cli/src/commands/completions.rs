//! Completion scripts for shells.

use crate::args::Args;
use crate::exit::Exit;
use crate::output::Output;
use clap::CommandFactory;

pub(crate) fn run(output: &mut Output, shell: clap_complete::Shell) -> anyhow::Result<Exit> {
    // Written to memory first: the generator panics when its reader goes away.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "steadfast", &mut script);
    output.line(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Exit::Done)
}
