//! The terminal: taken over for the view, and given back on every way out.

use super::scene::Scene;
use super::view;
use anyhow::{Context, Result};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::time::Duration;

/// Owns the terminal. A panic gives it back too, before its message is printed.
pub(super) struct Screen {
    terminal: DefaultTerminal,
}

impl Screen {
    pub(super) fn open() -> Result<Self> {
        match ratatui::try_init() {
            Ok(terminal) => Ok(Self { terminal }),
            Err(error) => {
                ratatui::restore();
                Err(error).context("cannot take over the terminal; try --plain")
            }
        }
    }

    /// Draws, and answers whether somebody pressed a key to stop.
    pub(super) fn tick(&mut self, scene: &Scene) -> Result<bool> {
        self.terminal.draw(|frame| view::draw(frame, scene)).context("cannot draw")?;
        let mut stop = false;
        while event::poll(Duration::ZERO)? {
            stop |= matches!(event::read()?, Event::Key(key) if stops(key));
        }
        Ok(stop)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

/// The terminal hands out Ctrl-C as a key while the view has it.
fn stops(key: KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    key.kind == KeyEventKind::Press
        && (matches!(key.code, KeyCode::Char('q') | KeyCode::Esc)
            || control && key.code == KeyCode::Char('c'))
}
