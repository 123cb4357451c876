//! Rows that go into the table many at once.
//!
//! Every statement opens every index of the table, which costs as much as writing a row. Tasks that have
//! nothing but a payload and are due at once are therefore gathered and written by sixteen.

use crate::add::insert;
use crate::db::Db;
use crate::extra::is_absent;
use crate::fault::Fallible;
use crate::row::is_large;
use std::time::Duration;
use steadfast_core::{Payload, Task, Time, WorkerId};

const ADD_MANY: &str = include_str!("../sql/add_many.sql");
/// Rows of the statement.
const ROWS: usize = 16;
/// Parameters that all rows share, and those of one row.
const SHARED: usize = 4;
const OF_ROW: usize = 7;

/// Tasks on their way into the table, in their order: those behind `written` are not there yet.
pub(crate) struct Lot<'a, 'b> {
    db: &'a Db<'b>,
    tasks: Vec<Task>,
    written: usize,
}

impl<'a, 'b> Lot<'a, 'b> {
    pub(crate) fn new(db: &'a Db<'b>) -> Self {
        Self { db, tasks: Vec::new(), written: 0 }
    }

    /// One more task, whose key has this window. Plain ones may wait for company.
    pub(crate) fn put(&mut self, mut task: Task, window: Duration) -> Fallible<()> {
        if !self.is_plain(&task) || !self.fits(&task) {
            self.write_singly()?;
        }
        if self.is_plain(&task) {
            self.tasks.push(task);
            if self.tasks.len() - self.written == ROWS {
                self.write_many()?;
            }
        } else {
            insert(self.db, &mut task, window)?;
            self.tasks.push(task);
            self.written += 1;
        }
        Ok(())
    }

    /// Writes what is left; gives back all tasks with their places in the order.
    pub(crate) fn end(mut self) -> Fallible<Vec<Task>> {
        self.write_singly()?;
        Ok(self.tasks)
    }

    /// Whether all of a task is in the columns that the statement names.
    fn is_plain(&self, task: &Task) -> bool {
        let now = self.db.now;
        let absent = is_absent(task) && task.serial.is_none() && task.step.is_none();
        absent && task.due_at == now && task.ready_at == now && !is_large(task.payload_len)
    }

    /// Whether a plain task shares with those that wait what the statement says once.
    fn fits(&self, task: &Task) -> bool {
        self.tasks[self.written..].first().is_none_or(|first| {
            first.status == task.status && first.worker == task.worker && first.grant == task.grant
        })
    }

    fn write_many(&mut self) -> Fallible<()> {
        let mut statement = self.db.prepare(ADD_MANY)?;
        let waiting = &mut self.tasks[self.written..];
        if let Some(first) = waiting.first() {
            statement.raw_bind_parameter(1, first.status.code())?;
            // Ready or born: grant, version and attempt are all none or all one.
            statement.raw_bind_parameter(2, first.grant.get())?;
            statement.raw_bind_parameter(3, first.worker.map(worker_bytes))?;
            statement.raw_bind_parameter(4, self.db.now.micros())?;
        }
        let none = Payload::default();
        for (row, task) in waiting.iter().enumerate() {
            let at = SHARED + row * OF_ROW;
            let payload = task.payload.as_ref().unwrap_or(&none);
            statement.raw_bind_parameter(at + 1, task.id.uuid().into_bytes())?;
            statement.raw_bind_parameter(at + 2, task.bucket.as_str())?;
            statement.raw_bind_parameter(at + 3, task.kind.as_str())?;
            statement.raw_bind_parameter(at + 4, task.priority.get())?;
            statement.raw_bind_parameter(at + 5, payload.format.code())?;
            statement.raw_bind_parameter(at + 6, &*payload.bytes)?;
            statement.raw_bind_parameter(at + 7, task.deadline_at.map(Time::micros))?;
        }
        statement.raw_execute()?;
        // Each row took the seq behind the highest, and nobody else writes.
        for (task, seq) in waiting.iter_mut().rev().zip((0..=self.db.last_seq()).rev()) {
            task.seq = seq;
        }
        self.written = self.tasks.len();
        Ok(())
    }

    fn write_singly(&mut self) -> Fallible<()> {
        for task in &mut self.tasks[self.written..] {
            insert(self.db, task, Duration::ZERO)?;
        }
        self.written = self.tasks.len();
        Ok(())
    }
}

fn worker_bytes(worker: WorkerId) -> [u8; 16] {
    worker.uuid().into_bytes()
}
