//! All that was seen, in order.

use super::event::Event;
use super::row::Row;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// What was seen of a cluster, in the order of the store's commits, with the store's clock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History(Vec<(u64, Event)>);

impl History {
    /// Writes down an event.
    pub fn note(&mut self, at: u64, event: Event) {
        self.0.push((at, event));
    }

    /// The events with their times.
    pub fn events(&self) -> impl Iterator<Item = (u64, &Event)> {
        self.0.iter().map(|(at, event)| (*at, event))
    }

    /// Each task's rows with their times.
    pub(crate) fn rows(&self) -> BTreeMap<&str, Vec<(u64, &Row)>> {
        let mut rows: BTreeMap<&str, Vec<(u64, &Row)>> = BTreeMap::new();
        for (at, event) in self.events() {
            if let Event::Row(row) = event {
                rows.entry(&row.task).or_default().push((at, row));
            }
        }
        rows
    }

    /// Each change of a row: before and after.
    pub(crate) fn changes(&self) -> Vec<(&Row, &Row)> {
        let rows = self.rows();
        rows.values().flat_map(|rows| rows.windows(2).map(|pair| (pair[0].1, pair[1].1))).collect()
    }
}

impl fmt::Display for History {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.events().try_for_each(|(at, event)| writeln!(out, "{at} {event}"))
    }
}

/// A line an event; a test may write several on one, with semicolons.
impl FromStr for History {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let lines = text.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty());
        let parse = |line: &str| {
            let (at, event) = line.split_once(' ').ok_or_else(|| format!("`{line}` says no event"))?;
            let at = at.parse().map_err(|_| format!("`{line}` begins with no time"))?;
            Ok((at, event.parse()?))
        };
        lines.map(parse).collect::<Result<_, String>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_comes_back_from_its_text() {
        let text = "\
            0 try 1; 0 effects pay; 0 limit pay 2; 0 worker w n; \
            1 row a ready version=0 grant=0 attempt=0 kind=pay priority=5 seq=1 due=1 ready=1 key=k; 2 told 1 a; \
            3 grant a 1 w 2; 3 row a running version=1 grant=1 attempt=1 kind=pay priority=5 seq=1 due=1 ready=1 \
            worker=w key=k suspect=1; 4 start a n; 5 effect a; 6 token a 1 taken; 7 token a 0 refused; \
            8 finish a 1 w done; 9 finish a 1 w lost; 10 stop a n; 11 act a again 3; 11 audit a again ann 3; \
            12 slots n 0; 13 tick line 5 a; 14 drain n; 15 size table 3 9; 16 fault crash; 17 peace 60; 18 refused 2";
        let history: History = text.parse().unwrap();
        assert_eq!(history.events().count(), 24);
        assert_eq!(history.to_string().parse(), Ok(history));
    }

    #[test]
    fn what_is_no_history_is_refused_with_the_line() {
        for (text, why) in [
            ("5", "`5` says no event"),
            ("x row a ready", "`x row a ready` begins with no time"),
            ("5 dance a", "unknown event `dance` in `dance a`"),
            ("5 drain n m", "`m` is too much in `drain n m`"),
            ("5 row a ready colour=red", "`colour=red` is no field of a row"),
        ] {
            assert_eq!(text.parse::<History>(), Err(why.to_owned()));
        }
    }
}
