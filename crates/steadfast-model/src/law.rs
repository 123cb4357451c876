//! The rules themselves: those of the core, asked as the engine and the stores ask them.

use crate::fault::Fault;
use crate::names::{Life, TaskNo};
use crate::row::{Row, Token};
use std::time::Duration;
use steadfast_core::{
    Act, Change, Contact, Deed, Fence, Grant, Guard, Heard, Kind, NewTask, Outcome, Payload, Policy, Refusal,
    Retry, Task, Time, WorkerId, decide, give_back, lost,
};

/// Time stands still in the model: what depends on it is a step of its own.
const NOW: Time = Time::from_micros(1_700_000_000_000_000);
const RENEW: Duration = Duration::from_secs(5);

/// What decides, with at most one fault planted in it.
#[derive(Debug)]
pub(crate) struct Law {
    pub(crate) fault: Option<Fault>,
    /// The tasks as they are added.
    added: [Task; TaskNo::N],
    policy: Policy,
    lives: Vec<(WorkerId, Life)>,
}

/// How a holder lets go of its task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum End {
    /// Done, with effects in the same transaction.
    Done,
    /// A plain failure that is tried again: what follows effects whose commit got no answer.
    Retry,
    /// Given back: the attempt does not count.
    Back,
}

impl Law {
    pub(crate) fn new(fault: Option<Fault>) -> Self {
        let added = TaskNo::ALL.map(|no| {
            let kind = Kind::new(no.to_string()).expect("a kind of the model is a plain word");
            Task::added(NewTask::new(no.id(), kind, Payload::default()), 0, NOW)
        });
        let mut policy = Policy::default();
        policy.retry = Retry::immediate(u32::MAX);
        policy.lost_max = u32::MAX;
        Self { fault, added, policy, lives: Life::all().map(|life| (life.id(), life)).collect() }
    }

    /// The row that an add makes.
    pub(crate) fn add(&self, no: TaskNo) -> Row {
        self.row(&self.added[no.at()])
    }

    /// Gives a task to a worker.
    pub(crate) fn grant(&self, no: TaskNo, row: Row, to: Life) -> Row {
        let mut task = self.task(no, row);
        task.granted(to.id(), self.policy.deadline, NOW);
        self.row(&task)
    }

    /// Whether a holder may write: the fence, or what a fault makes of it.
    pub(crate) fn holds(&self, token: Token, row: Row) -> bool {
        let task = self.task(token.task, row);
        let worker = task.worker == Some(token.worker.id());
        match self.fault {
            Some(Fault::FinishWithoutGrant) => worker,
            Some(Fault::FinishWithoutWorker) => task.worker.is_some() && task.grant == grant(token.grant),
            Some(Fault::AttemptAsFence) => worker && task.attempt == u32::from(token.attempt),
            _ => task.fence() == Some(fence(token)),
        }
    }

    /// What a holder writes that lets go of its task.
    pub(crate) fn end(&self, token: Token, end: End) -> Change {
        let copy = self.copy(token);
        match end {
            End::Done => decide(&copy, &self.policy, Outcome::Done, None, 0),
            End::Retry => decide(&copy, &self.policy, Outcome::retry("no answer"), None, 0),
            End::Back => give_back(&copy, &self.policy, true),
        }
    }

    /// What a sweep writes that takes a task from a dead worker.
    pub(crate) fn reap(&self, token: Token) -> Change {
        lost(&self.copy(token), &self.policy)
    }

    /// The row after such a write.
    pub(crate) fn changed(&self, no: TaskNo, row: Row, change: &Change) -> Row {
        let mut task = self.task(no, row);
        change.apply(&mut task, NOW);
        self.row(&task)
    }

    /// The row after a person ended it, if it is still the run that the person saw.
    pub(crate) fn cancel(&self, no: TaskNo, row: Row, seen: u8) -> Result<Row, Refusal> {
        let act = Act { id: no.id(), guard: Guard::Grant(grant(seen)), deed: Deed::Cancel };
        let mut task = self.task(no, row);
        act.guard.check(&task, &act.deed)?;
        act.deed.apply(&mut task, NOW)?;
        Ok(self.row(&task))
    }

    /// Whether a task may be taken from its holder: it is still the run that somebody saw.
    pub(crate) fn may_eject(&self, no: TaskNo, row: Row, seen: u8) -> bool {
        let task = self.task(no, row);
        Guard::Grant(grant(seen)).check(&task, &Deed::Pause).is_ok() && task.status.has_holder()
    }

    /// Whether a worker may reap whose last renews, so many, came one interval after the other.
    pub(crate) fn may_reap(&self, renews: u8) -> bool {
        if self.fault == Some(Fault::ReapAfterOutage) {
            return renews > 0;
        }
        let times = (0..renews).map(|nth| RENEW * nth.into());
        let heard = times.map(|at| Heard { sent: at, answered: at, store_now: NOW.after(at) });
        let contact = heard.fold(None, |contact: Option<Contact>, heard| {
            Some(contact.map_or(Contact::new(RENEW, heard), |contact| contact.renewed(heard)))
        });
        contact.is_some_and(|contact| contact.may_reap(RENEW * renews.saturating_sub(1).into()))
    }

    /// The task as the store keeps it.
    fn task(&self, no: TaskNo, row: Row) -> Task {
        Task {
            status: row.status,
            grant: grant(row.grant),
            worker: row.worker.map(Life::id),
            attempt: row.attempt.into(),
            ..self.added[no.at()].clone()
        }
    }

    /// The task as its holder remembers it.
    fn copy(&self, token: Token) -> Task {
        self.task(token.task, Row::granted(token))
    }

    fn row(&self, task: &Task) -> Row {
        let life = |id| self.lives.iter().find(|(worker, _)| *worker == id).map(|(_, life)| *life);
        let small = |n: i64| u8::try_from(n).expect("mishaps are few, so grants are");
        Row {
            status: task.status,
            grant: small(task.grant.get()),
            worker: task.worker.and_then(life),
            // Kept only where a fault looks at it: states that differ in nothing that decides are one.
            attempt: if self.fault == Some(Fault::AttemptAsFence) { small(task.attempt.into()) } else { 0 },
        }
    }
}

pub(crate) fn grant(number: u8) -> Grant {
    Grant::from_i64(number.into())
}

pub(crate) fn fence(token: Token) -> Fence {
    Fence { task: token.task.id(), grant: grant(token.grant), worker: token.worker.id() }
}
