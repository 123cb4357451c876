//! Whether what was seen of a cluster was allowed: a history, and one small function for each invariant.
//!
//! A history is text, a line an event ([`Event`]), so that one from anywhere can be checked: of the simulator, of trials
//! on real servers, of a log. An invariant that needs an event nobody wrote down holds.
//!
//! ```
//! use steadfast_testkit::checker::{History, check};
//! let history: History = "1 grant a 1 w 0; 2 grant a 2 x 0; 3 finish a 1 w done".parse().unwrap();
//! assert_eq!(check(&history), ["I6: a finish of task a was accepted from grant 1, which was over"]);
//! ```

mod adds;
mod audit;
mod effects;
mod event;
mod grants;
mod history;
mod keys;
mod limits;
mod moves;
mod order;
mod peace;
mod row;

pub use event::Event;
pub use history::History;
pub use row::Row;

/// Says what was not allowed.
type Invariant = fn(&History) -> Vec<String>;

/// All of them, by their numbers.
const INVARIANTS: [(&str, Invariant); 20] = [
    ("I1", adds::lost),
    ("I2", adds::invented),
    ("I3", moves::illegal),
    ("I4", moves::versions),
    ("I5", grants::doubles),
    ("I6", grants::unfenced),
    ("I7", effects::effects),
    ("I8", effects::tokens),
    ("I9", grants::miscounted),
    ("I10", moves::revived),
    ("I11", limits::over_limit),
    ("I12", limits::leaked_slots),
    ("I13", order::passed_over),
    ("I14", keys::shared_keys),
    ("I15", keys::ticks),
    ("I16", peace::unfinished),
    ("I17", order::early),
    ("I18", peace::grabs_while_draining),
    ("I19", audit::unwritten),
    ("I20", limits::oversized),
];

/// What was not allowed, each with the number of its invariant; empty is good.
pub fn check(history: &History) -> Vec<String> {
    let found = INVARIANTS.iter().flat_map(|(number, invariant)| {
        invariant(history).into_iter().map(move |what| format!("{number}: {what}"))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::{History, Invariant};

    /// Whether an invariant accepts a history.
    pub(crate) fn check(invariant: Invariant, text: &str, fine: bool) {
        let history: History = text.parse().unwrap();
        let found = invariant(&history);
        assert_eq!(found.is_empty(), fine, "{text}: {found:?}");
    }
}
