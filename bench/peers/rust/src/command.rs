//! The command line: `LOAD --url URL --tasks N [--callers N] [--rate N]`.

use crate::Result;

pub struct Command {
    pub load: Load,
    pub url: String,
    pub tasks: u32,
    pub callers: u32,
    /// Adds a second.
    pub rate: u32,
}

pub enum Load {
    Fill,
    Drain,
    Add,
    Cycle,
    Latency,
    Serve,
    Call,
}

pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Command> {
    let load = match words.next().as_deref() {
        Some("fill") => Load::Fill,
        Some("drain") => Load::Drain,
        Some("add") => Load::Add,
        Some("cycle") => Load::Cycle,
        Some("latency") => Load::Latency,
        Some("serve") => Load::Serve,
        Some("call") => Load::Call,
        other => return Err(format!("no load {other:?}").into()),
    };
    let mut command = Command { load, url: String::new(), tasks: 0, callers: 1, rate: 1 };
    while let Some(option) = words.next() {
        let value = words.next().ok_or_else(|| format!("{option} needs a value"))?;
        match option.as_str() {
            "--url" => command.url = value,
            "--tasks" => command.tasks = value.parse()?,
            "--callers" => command.callers = value.parse()?,
            "--rate" => command.rate = value.parse()?,
            _ => return Err(format!("no option `{option}`").into()),
        }
    }
    Ok(command)
}
