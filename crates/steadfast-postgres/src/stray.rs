//! Tasks that a sweep has to move.

use crate::columns::rows;
use crate::fault::Fallible;
use crate::pool::Pool;
use crate::row::{self, Names, WIDTH};
use crate::sql::Sql;
use steadfast_core::WorkerId;
use steadfast_core::seam::{Cause, Stray};
use tokio_postgres::types::Type;

const MARK: Sql = Sql {
    name: "workers_mark",
    text: include_str!("../sql/workers_mark.sql"),
    types: &[Type::INT8, Type::UUID],
};
const STRAYS: Sql =
    Sql { name: "strays", text: include_str!("../sql/strays.sql"), types: &[Type::INT8, Type::INT8] };

/// Marks workers whose lease ended, then lists the tasks that a sweep has to move.
///
/// Holders are read from the running tasks, one seek each, and not from the worker table: a birth that came
/// after its worker's end is found all the same.
pub(crate) async fn strays(pool: &Pool, by: WorkerId, n_max: usize) -> Fallible<Vec<Stray>> {
    pool.run(&MARK, &[&pool.now(), &by.uuid()]).await?;
    let mut names = Names::default();
    let found = pool.read(&STRAYS, &[&pool.now(), &rows(n_max)]).await?;
    let read = |row: &tokio_postgres::Row| {
        let cause = if row.try_get(WIDTH)? { Cause::Dead } else { Cause::Overdue };
        Ok(Stray { task: row::read(row, &mut names)?, cause })
    };
    found.iter().map(read).collect()
}
