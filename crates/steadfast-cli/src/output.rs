//! What goes to standard output: lines and tables for people, JSON for programs.

use anstyle::{AnsiColor, Style};
use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;
use std::io::Write;
use steadfast::{Level, Status};

/// Standard output. Colours are dropped where nobody would see them; a closed pipe is an error like any other.
pub(crate) struct Output {
    pub(crate) json: bool,
    stdout: anstream::Stdout,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json, stdout: anstream::stdout() }
    }

    /// One line for people.
    pub(crate) fn line(&mut self, line: impl std::fmt::Display) -> std::io::Result<()> {
        writeln!(self.stdout, "{line}")
    }

    /// One value for programs, on one line.
    pub(crate) fn value(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        let text = serde_json::to_string(value)?;
        Ok(writeln!(self.stdout, "{text}")?)
    }

    /// A table for people; without rows, what to say instead.
    pub(crate) fn table(
        &mut self,
        head: &[&str],
        rows: Vec<Vec<String>>,
        empty: &str,
    ) -> std::io::Result<()> {
        if rows.is_empty() {
            return self.line(empty);
        }
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_header(head.iter().map(|name| name.to_uppercase())).add_rows(rows);
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        for line in table.lines() {
            self.line(line.trim_end())?;
        }
        Ok(())
    }
}

/// A text in a style.
pub(crate) fn styled(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

pub(crate) fn bold(text: impl std::fmt::Display) -> String {
    styled(Style::new().bold(), text)
}

/// A status in the colour of how much it wants a person.
pub(crate) fn status(status: Status) -> String {
    let color = match status {
        Status::Running | Status::Done => AnsiColor::Green,
        Status::Error => AnsiColor::Red,
        Status::Paused | Status::Held | Status::Parked => AnsiColor::Yellow,
        _ => return status.to_string(),
    };
    styled(color.on_default(), status)
}

pub(crate) fn level(level: Level) -> String {
    match level {
        Level::Good => styled(AnsiColor::Green.on_default(), "good"),
        Level::Warning => styled(AnsiColor::Yellow.on_default(), "warning"),
        Level::Bad => styled(AnsiColor::Red.on_default().bold(), "bad"),
    }
}
