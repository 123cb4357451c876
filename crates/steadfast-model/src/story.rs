//! How something came about, a line an event.

use crate::event::Event;
use crate::state::State;
use stateright::Path;
use std::fmt::Write;

/// Tells a path: what happened, and where the tasks were after it.
pub fn story(path: Path<State, Event>) -> String {
    let steps = path.into_vec();
    let mut text = String::new();
    for ((_, event), (after, _)) in steps.iter().zip(steps.iter().skip(1)) {
        if let Some(event) = event {
            let _ = writeln!(text, "  {event}; {after}");
        }
    }
    text
}
