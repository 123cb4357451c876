//! Tasks that a sweep has to move.

use crate::columns::{hex_id, id, list, rows};
use crate::fault::{Fallible, Fault};
use crate::pool::Pool;
use crate::row;
use crate::sql::{Params, Sql, params};
use std::collections::BTreeMap;
use steadfast_core::seam::{Cause, Stray};
use steadfast_core::{Time, WorkerId};

const HOLDERS: Sql = Sql(include_str!("../sql/holders.sql"));
const MARK: Sql = Sql(include_str!("../sql/workers_mark.sql"));
const HELD: Sql = Sql(include_str!("../sql/strays_held.sql"));
const PARKED: Sql = Sql(include_str!("../sql/strays_parked.sql"));

/// What one question shows of workers and of what they hold.
///
/// Holders are read from the running tasks and not from the worker table: a birth that came after its worker's end is
/// found all the same.
struct Sight {
    now: Time,
    /// Until when those live that were not declared dead.
    leases: BTreeMap<WorkerId, Time>,
    /// Who holds running tasks, and the first of their deadlines.
    holders: Vec<(WorkerId, Time)>,
    /// The first end of a parked task's time.
    parked_until: Option<Time>,
}

/// Marks workers whose lease ended, then lists the tasks that a sweep has to move. If there is nothing to do, one
/// question says so.
pub(crate) async fn strays(pool: &Pool, by: WorkerId, n_max: usize) -> Fallible<Vec<Stray>> {
    if pool.setting.quiet.sight().is_some_and(|sight| !sight.holds && sight.all_live()) {
        return Ok(Vec::new());
    }
    let mut sight = Sight::look(pool).await?;
    let ended = sight.ended(by);
    if !ended.is_empty() {
        let given = list(&ended, |worker| hex_id(worker.uuid()).into());
        pool.execute(&MARK, params![given, sight.now.micros()]).await?;
        // Somebody may have renewed at the last moment: what the statement marked shows at a second look.
        sight = Sight::look(pool).await?;
    }
    let (dead, live): (Vec<_>, Vec<_>) =
        sight.holders.iter().partition(|(worker, _)| !sight.leases.contains_key(worker));
    let mut strays = Strays { pool, n_max, found: Vec::new() };
    for (worker, _) in dead {
        strays.list(&HELD, params![id(worker.uuid()), i64::MAX], Cause::Dead).await?;
    }
    for (worker, _) in live.into_iter().filter(|(_, first_at)| *first_at <= sight.now) {
        strays.list(&HELD, params![id(worker.uuid()), sight.now.micros()], Cause::Overdue).await?;
    }
    if sight.parked_until.is_some_and(|until| until <= sight.now) {
        strays.list(&PARKED, params![sight.now.micros()], Cause::Overdue).await?;
    }
    Ok(strays.found)
}

impl Sight {
    async fn look(pool: &Pool) -> Fallible<Self> {
        let (mut leases, mut holders) = (BTreeMap::new(), Vec::new());
        let (mut now, mut parked_until) = (None, None);
        for row in &pool.read(&HOLDERS, params![pool.setting.now()]).await? {
            let first_at = row.int_or_none(4)?.map(Time::from_micros);
            let Some(worker) = row.uuid_or_none(1)?.map(WorkerId::from_uuid) else {
                (now, parked_until) = (Some(row.time(0)?), first_at);
                continue;
            };
            match (row.int_or_none(2)?, first_at) {
                (Some(until), _) if !row.flag(3)? => drop(leases.insert(worker, Time::from_micros(until))),
                (Some(_), _) => {}
                (None, first_at) => holders.push((worker, first_at.unwrap_or(Time::MAX))),
            }
        }
        let now = now.ok_or_else(|| Fault::unreadable("clock"))?;
        Ok(Self { now, leases, holders, parked_until })
    }

    /// Workers whose lease ended, if the one who asks has a lease itself.
    fn ended(&self, by: WorkerId) -> Vec<WorkerId> {
        let judge = self.leases.get(&by).is_some_and(|until| *until >= self.now);
        let ended = self.leases.iter().filter(|(_, until)| judge && **until < self.now);
        ended.map(|(worker, _)| *worker).collect()
    }
}

/// What was found so far.
struct Strays<'a> {
    pool: &'a Pool,
    n_max: usize,
    found: Vec<Stray>,
}

impl Strays<'_> {
    async fn list(&mut self, sql: &Sql, mut given: Params, cause: Cause) -> Fallible<()> {
        let left = self.n_max - self.found.len();
        if left > 0 {
            given.push(rows(left).into());
            let tasks = row::read_all(&self.pool.read(sql, given).await?)?;
            self.found.extend(tasks.into_iter().map(|task| Stray { task, cause }));
        }
        Ok(())
    }
}
