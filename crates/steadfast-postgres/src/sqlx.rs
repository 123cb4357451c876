//! Adding tasks in a transaction of sqlx.

use crate::bell::Bell;
use crate::fault::by_state;
use crate::store::PgStore;
use sqlx_core::connection::Connection;
use sqlx_core::query::query;
use sqlx_core::row::Row;
use sqlx_core::sql_str::AssertSqlSafe;
use sqlx_postgres::PgConnection;
use steadfast_core::seam::Added;
use steadfast_core::{KeySpace, NewTask, Payload, Refusal, Repeat, StoreError, Task, TaskId, Time, When};
use uuid::Uuid;

const ADD_ONE: &str = include_str!("../sql/add_one.sql");

impl PgStore {
    /// Adds tasks that exist once the caller's transaction of sqlx commits, and never did if it rolls back.
    ///
    /// Like [`add_in`](Self::add_in), but each task is a statement of its own.
    pub async fn add_in_sqlx(
        &self,
        connection: &mut PgConnection,
        tasks: Vec<NewTask>,
    ) -> Result<(Vec<Added>, Bell), StoreError> {
        let mut bell = Bell::new(self.clone());
        let sql = self.setting().schema.fill(ADD_ONE).into_owned();
        // A savepoint inside the caller's transaction: all of these or none.
        let mut tx = connection.begin().await.map_err(|error| sorted(&error))?;
        let mut all = Vec::with_capacity(tasks.len());
        for ((bucket, serial), new) in Bell::places(&tasks).into_iter().zip(tasks) {
            if new.on_repeat == Repeat::Replace {
                let text = "a transaction of sqlx cannot replace a repeat; use one of tokio-postgres or of the store";
                return Err(Refusal::Config(text.into()).into());
            }
            let added = add_one(&mut tx, &sql, new.clone()).await.map_err(|error| sorted(&error))?;
            new.check_first(Some(added.id).filter(|_| !added.fresh))?;
            bell.note(bucket, serial, &added);
            all.push(added);
        }
        tx.commit().await.map_err(|error| sorted(&error))?;
        Ok((all, bell))
    }
}

async fn add_one(connection: &mut PgConnection, sql: &str, new: NewTask) -> Result<Added, sqlx_core::Error> {
    let (delay, at) = match new.when {
        When::Now => (None, None),
        When::After(wait) => (Some(wait.as_secs_f64()), None),
        When::At(time) => (None, Some(seconds(time))),
    };
    let named =
        |space: KeySpace| new.key.as_ref().filter(|key| key.space == space).map(|key| key.name.clone());
    let context = (!new.context.is_empty()).then(|| serde_json::to_string(&new.context).unwrap_or_default());
    let row = query(AssertSqlSafe(sql.to_owned()))
        .bind(new.kind.as_str())
        .bind(&*new.payload.bytes)
        .bind(new.payload.format.code())
        .bind(new.id.uuid())
        .bind(new.bucket.as_str())
        .bind(i32::from(new.priority.get()))
        .bind(delay)
        .bind(at)
        .bind(named(KeySpace::Key))
        .bind(named(KeySpace::Id))
        .bind(&new.serial)
        .bind(&new.search1)
        .bind(&new.search2)
        .bind(&new.subkind)
        .bind(&new.step)
        .bind(new.parent.map(|parent| parent.uuid()))
        .bind(context)
        .fetch_one(connection)
        .await?;
    let id = TaskId::from_uuid(row.try_get::<Uuid, _>(0)?);
    let fresh = id == new.id;
    // Status and time follow from the core's own rule; here the clock has no part in them but for the order.
    let now = Time::from_system("time", std::time::SystemTime::now()).unwrap_or_default();
    let task = Task::added(NewTask { payload: Payload::default(), ..new }, 0, now);
    Ok(Added { id, fresh, replaced: false, status: task.status, due_at: task.due_at })
}

/// Seconds since 1970, exact to the microsecond for all times that can be stored.
#[expect(
    clippy::cast_precision_loss,
    reason = "2^53 microseconds reach to the year 2255; later ones are rounded"
)]
fn seconds(time: Time) -> f64 {
    time.micros() as f64 / 1_000_000.0
}

fn sorted(error: &sqlx_core::Error) -> StoreError {
    let sqlx_core::Error::Database(error) = error else { return StoreError::Down(error.to_string()) };
    match error.code().as_deref().unwrap_or_default() {
        // What the function `add` refuses, in its own words.
        "22023" => Refusal::Config(error.message().to_owned()).into(),
        code => by_state(code, format!("{} ({code})", error.message())),
    }
}
