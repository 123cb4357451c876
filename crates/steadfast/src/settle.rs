//! Adding so that the caller knows: a lost reply is settled by the batch's receipt.

use crate::shared::Shared;
use std::time::Duration;
use steadfast_core::seam::{Add, Added, Adds, Answer, Settled};
use steadfast_core::{NewTask, Receipt, Status, StoreError, Task, TaskId, Time};

/// How long receipts are kept; settling is allowed for half of it.
pub(crate) const RECEIPTS_KEPT: Duration = Duration::from_secs(24 * 3600);
/// How often a busy store is asked again before the caller hears of it.
const BUSY_MAX: u32 = 8;

/// Adds a batch. Ends only when it is known whether it happened, or when nobody can know any more.
pub(crate) async fn add_surely(shared: &Shared, mut add: Add) -> Result<Adds, StoreError> {
    if !shared.store.loses_replies() {
        return shared.store.add(add).await;
    }
    let mut tries = 0;
    loop {
        let receipt =
            Receipt::new(shared.runtime.unix_ms(), [shared.runtime.random(), shared.runtime.random()]);
        add.receipt = Some(receipt);
        match shared.store.add(add.clone()).await {
            // Boxed, since it is rare and large: every add would carry the room for it.
            Err(StoreError::Unknown(why)) => match Box::pin(settle(shared, receipt, &why)).await? {
                Settled::Committed => return Box::pin(read_back(shared, add)).await,
                Settled::Never if tries < BUSY_MAX => {}
                Settled::Never => return Err(StoreError::Down(format!("the batch was not written: {why}"))),
            },
            Err(StoreError::Busy(_)) if tries < BUSY_MAX => shared.backoff(tries).await,
            other => return other,
        }
        tries += 1;
    }
}

async fn settle(shared: &Shared, receipt: Receipt, why: &str) -> Result<Settled, StoreError> {
    patiently(shared, || shared.store.settle(receipt)).await.map_err(|error| match error {
        error if error.may_pass() => StoreError::Unknown(why.to_owned()),
        error => error,
    })
}

/// Asks until the store answers, for as long as an answer means anything: it may be down for a while after it lost a
/// reply.
async fn patiently<'a, T>(shared: &Shared, ask: impl Fn() -> Answer<'a, T> + Send) -> Result<T, StoreError> {
    let since = shared.now();
    let mut tries = 0;
    loop {
        match ask().await {
            Err(error) if error.may_pass() && shared.now().saturating_sub(since) < RECEIPTS_KEPT / 2 => {
                tracing::warn!(%error, "not settled yet");
            }
            other => return other,
        }
        shared.backoff(tries).await;
        tries += 1;
    }
}

/// Asks for what the lost reply said. The batch is committed: whatever cannot be found out now must not look as
/// if nothing had been added.
async fn read_back(shared: &Shared, add: Add) -> Result<Adds, StoreError> {
    let mut adds = Adds { now: Time::default(), added: Vec::new(), born: Vec::new() };
    for new in add.tasks {
        adds.added.push(read_back_one(shared, new, &mut adds.now).await?);
    }
    if let Some(birth) = add.births {
        for (new, _) in birth.tasks {
            // One that is not found is ours all the same; the next renews find it and give it back.
            let task = asked(shared, new.id).await.ok().flatten();
            let ours = |task: &Task| task.worker == Some(birth.worker) && task.status == Status::Running;
            adds.born.extend(task.filter(ours));
        }
    }
    Ok(adds)
}

async fn read_back_one(shared: &Shared, new: NewTask, now: &mut Time) -> Result<Added, StoreError> {
    let Some(key) = new.key else {
        // Without a key it was added as it is; where it stands by now matters to nobody.
        let task = asked(shared, new.id).await.ok().flatten();
        *now = task.as_ref().map_or(*now, |task| task.created_at);
        let (status, due_at) =
            task.map_or((Status::Done, Time::default()), |task| (task.status, task.due_at));
        return Ok(Added { id: new.id, fresh: true, replaced: false, status, due_at });
    };
    let unknown =
        |error: StoreError| StoreError::Unknown(format!("added, but the key was not read back: {error}"));
    if let Some(task) = patiently(shared, || shared.store.get(new.id)).await.map_err(unknown)? {
        *now = task.created_at;
        return Ok(Added {
            id: task.id,
            fresh: true,
            replaced: false,
            status: task.status,
            due_at: task.due_at,
        });
    }
    // Another task has the key, or ours has ended and left nothing behind.
    let holder = patiently(shared, || shared.store.look_up(key.clone())).await.map_err(unknown)?;
    let id = holder.unwrap_or(new.id);
    Ok(Added { id, fresh: false, replaced: false, status: Status::Done, due_at: Time::default() })
}

/// Asks for a task that is ours whatever the answer, and not for long.
async fn asked(shared: &Shared, id: TaskId) -> Result<Option<Task>, StoreError> {
    let mut tries = 0;
    loop {
        match shared.store.get(id).await {
            Err(error) if error.may_pass() && tries < BUSY_MAX => shared.backoff(tries).await,
            other => return other,
        }
        tries += 1;
    }
}
