//! Where the demo is shown: on a terminal, or as plain lines.

use super::plain::Plain;
use super::scene::Scene;
use super::screen::Screen;
use anyhow::Result;
use std::io::IsTerminal;

pub(super) enum Show {
    Screen(Box<Screen>),
    Plain(Plain),
    Nothing,
}

/// How somebody wants to see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// As well as the terminal can.
    Best,
    /// As lines.
    Plain,
    /// Only the sums at the end, for programs.
    Sums,
}

impl Show {
    /// The live view if there is a terminal that can show it and nobody wants plain lines.
    pub(super) fn new(look: Look) -> Result<Self> {
        if look == Look::Sums {
            return Ok(Self::Nothing);
        }
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        // The view reads keys too: without a keyboard nobody could stop it.
        let terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
        if look == Look::Plain || !terminal || cfg!(unix) && dumb {
            return Ok(Self::Plain(Plain::default()));
        }
        Ok(Self::Screen(Box::new(Screen::open()?)))
    }

    /// Shows the moment. True if somebody pressed a key to stop.
    pub(super) fn tick(&mut self, scene: &Scene) -> Result<bool> {
        match self {
            Self::Screen(screen) => screen.tick(scene),
            Self::Plain(plain) => plain.tick(scene).map(|()| false),
            Self::Nothing => Ok(false),
        }
    }
}
