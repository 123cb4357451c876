//! A statement: its text, and what it is given.

use mysql_async::Value;
use std::borrow::Cow;

/// One statement of `sql/`. What stands in braces is repeated for as many rows as it is given.
pub(crate) struct Sql(pub(crate) &'static str);

/// What a statement is given, in order.
pub(crate) type Params = Vec<Value>;

/// Most rows that one statement is given; connections remember one statement for each power of two up to this.
pub(crate) const ROWS_MAX: usize = 512;

impl Sql {
    /// The text for so many rows.
    pub(crate) fn of_rows(&self, n: usize) -> Cow<'static, str> {
        let Some((head, rest)) = self.0.split_once('{') else { return Cow::Borrowed(self.0) };
        let Some((row, tail)) = rest.split_once('}') else { return Cow::Borrowed(self.0) };
        let mut text = head.to_owned();
        for at in 0..n {
            text.push_str(if at == 0 { "" } else { ", " });
            text.push_str(row);
        }
        text.push_str(tail);
        Cow::Owned(text)
    }
}

/// Cuts rows into lots for which a statement is likely to be remembered: powers of two, the largest first.
pub(crate) fn lots<T>(mut rows: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let n = rows.len().min(ROWS_MAX).checked_ilog2()?;
        let (lot, rest) = rows.split_at(1 << n);
        rows = rest;
        Some(lot)
    })
}

/// Values of many types as a statement takes them.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        vec![$(mysql_async::Value::from($value)),*]
    };
}
pub(crate) use params;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_braces_is_repeated() {
        let sql = Sql("insert into t values {(?, ?)} on duplicate key update a = ?");
        assert_eq!(sql.of_rows(2), "insert into t values (?, ?), (?, ?) on duplicate key update a = ?");
        assert_eq!(Sql("select 1").of_rows(2), "select 1");
    }

    #[test]
    fn lots_are_powers_of_two_and_bounded() {
        let sizes = |n: usize| lots(&vec![(); n]).map(<[()]>::len).collect::<Vec<_>>();
        assert_eq!(sizes(0), [0; 0]);
        assert_eq!(sizes(13), [8, 4, 1]);
        assert_eq!(sizes(1030), [512, 512, 4, 2]);
    }
}
