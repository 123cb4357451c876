//! What a run writes into the same file, committed together with its end.
//!
//! There is one writer, so effects are a function that runs on its thread: inside the transaction, after the fence was
//! checked. They hold up everybody else who writes, and so they are bounded in time.

use crate::db::Db;
use crate::fault::Fallible;
use crate::finish::{fenced, finish};
use crate::writer::COMMIT_ROWS_MAX;
use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use steadfast_core::effects::{self, Effects};
use steadfast_core::seam::{Cause, Commit, Committed, Finish, Finished};
use steadfast_core::{Outcome, Refusal};

const NAME: &str = "sqlite";
/// What effects count for in the bound of a commit, in rows: few of them share one, since each may take its time.
pub(crate) const ROWS: usize = COMMIT_ROWS_MAX / 8;
/// How many instructions SQLite executes between two looks at the time.
const LOOK_EVERY: i32 = 10_000;

/// An error of any type, as `?` makes it.
type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Work = Box<dyn FnOnce(&Connection) -> Result<Outcome, BoxError> + Send>;

thread_local! {
    /// When the effects that run on this thread must have ended.
    static ENDS: Cell<Option<Instant>> = const { Cell::new(None) };
    /// Whether they added tasks, of which workers should hear.
    static ADDED: Cell<bool> = const { Cell::new(false) };
}

/// Writes into the same database that are committed together with the end of the run, or not at all.
///
/// A handler returns them as its outcome. The function runs on the thread that writes, inside its transaction, only if
/// the run still holds its task; what it says becomes of the task. An error takes its writes back and is a failure
/// that the policy may try again. Everybody else who writes waits meanwhile: do slow things before, in the handler. A
/// function that takes longer than a twentieth of the lease is taken back.
///
/// Tasks are added by [`add_in`](crate::add_in), prepared before by `Run::prepare`.
///
/// ```
/// use steadfast_core::Outcome;
///
/// let cents = 250;
/// let outcome = steadfast_sqlite::effects(move |db| {
///     db.execute("update account set cents = cents - ?1 where id = 7", [cents])?;
///     Ok(Outcome::Done)
/// });
/// ```
pub fn effects(work: impl FnOnce(&Connection) -> Result<Outcome, BoxError> + Send + 'static) -> Outcome {
    let work: Work = Box::new(work);
    Outcome::Effects(Effects::new(NAME, work))
}

/// Carries effects out and ends their run. True if workers should hear of tasks that were added.
pub(crate) fn commit(db: &Db<'_>, commit: Commit) -> Fallible<(Committed, bool)> {
    let work: Work = commit.effects.take(NAME)?;
    if fenced(db, commit.fence)?.is_none() {
        return Ok((Committed::Lost, false));
    }
    ADDED.set(false);
    let outcome = match attempt(db, work, commit.bound)? {
        Ok(outcome) => outcome,
        Err(why) => return Ok((Committed::Failed(why), false)),
    };
    let change = (commit.decide)(outcome);
    let ended = finish(db, &[Finish { fence: commit.fence, cause: Cause::Holder, change }], &[None])?;
    Ok(match ended.first() {
        Some(Finished::Accepted { status, due_at }) => {
            (Committed::Accepted { status: *status, due_at: *due_at }, ADDED.get())
        }
        // The fence held a moment ago and nobody else writes: only the effects themselves can have moved the row.
        Some(Finished::Lost) | None => {
            return Err(Refusal::Database("effects changed the row of their own task".into()).into());
        }
    })
}

/// Says that tasks were added, if that happened inside effects.
pub(crate) fn note_added() {
    ADDED.set(true);
}

/// Runs the function in a savepoint. What fails, panics or takes too long leaves nothing behind.
fn attempt(db: &Db<'_>, work: Work, bound: Duration) -> Fallible<Result<Outcome, String>> {
    db.execute("savepoint steadfast_effects", [])?;
    let ends = Instant::now() + bound;
    ENDS.set(Some(ends));
    let said = catch_unwind(AssertUnwindSafe(|| effects::inside(|| work(db.connection()))));
    ENDS.set(None);
    let said = match said {
        Ok(Ok(outcome)) if Instant::now() <= ends => Ok(outcome),
        Ok(Ok(_)) => Err(format!("the effects took longer than {bound:?} and were taken back")),
        Ok(Err(error)) => Err(error.to_string()),
        Err(panic) => Err(effects::panicked(panic.as_ref())),
    };
    if said.is_err() {
        db.execute("rollback to steadfast_effects", [])?;
    }
    db.execute("release steadfast_effects", [])?;
    Ok(said)
}

/// Makes the writer's connection fit for effects: statements of theirs that take too long are interrupted, and none of
/// them ends the transaction, which is not theirs alone.
pub(crate) fn guard(connection: &mut Connection) {
    // They fail only on a connection that is somebody else's; older versions of rusqlite answer nothing at all.
    let _ = connection.progress_handler(LOOK_EVERY, Some(is_over));
    let _ = connection.authorizer(Some(judge));
}

fn is_over() -> bool {
    ENDS.get().is_some_and(|ends| Instant::now() > ends)
}

fn judge(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Transaction { .. } if effects::is_inside() => Authorization::Deny,
        _ => Authorization::Allow,
    }
}
