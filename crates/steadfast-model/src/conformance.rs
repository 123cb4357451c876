//! The model's store does what the memory store does, call by call: random calls go to both, and both say the same.

use crate::fault::Fault;
use crate::law::{End, Law, fence, grant};
use crate::names::{Life, ProcessNo, TaskNo};
use crate::row::{Place, Row, Token};
use crate::store::Store;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use steadfast_core::seam::{Answer, Cause, Eject, Finish, Finished, Grab, Register, Renew, Renewed, Settled};
use steadfast_core::{
    Act, Bucket, Clock, Deed, Demand, Guard, Key, Kind, Lane, NewTask, Offer, Payload, Policy, Priority,
    Receipt, Store as _, StoreError, Task, TaskId, Time,
};
use steadfast_memory::MemoryStore;

const LEASE: Duration = Duration::from_secs(15);

/// Both stores, and every token that they ever gave.
struct Pair {
    law: Law,
    model: Store,
    memory: MemoryStore,
    clock: Arc<Hands>,
    lives: [Life; ProcessNo::N],
    tokens: Vec<Token>,
    adds: u64,
}

/// A clock that the test moves.
struct Hands(AtomicI64);

impl Clock for Hands {
    fn now(&self) -> Time {
        Time::from_micros(self.0.load(Ordering::SeqCst))
    }
}

impl Pair {
    fn new(fault: Option<Fault>) -> Self {
        let law = Law::new(fault);
        let clock = Arc::new(Hands(AtomicI64::new(1_700_000_000_000_000)));
        let memory = MemoryStore::new(clock.clone());
        let lives = ProcessNo::ALL.map(|process| process.life(0));
        let pair = Self { model: Store::new(&law, true), law, memory, clock, lives, tokens: vec![], adds: 0 };
        for life in lives {
            pair.register(life);
        }
        pair
    }

    fn register(&self, worker: Life) {
        let register = Register {
            worker: worker.id(),
            name: worker.to_string(),
            build: 1,
            offer: Offer::default(),
            lease: LEASE,
        };
        now(self.memory.register(register)).unwrap();
    }

    /// One call of these to both; `dice` decides which and of what.
    fn call(&mut self, mut dice: impl FnMut(usize) -> usize) {
        let task = TaskNo::ALL[dice(TaskNo::N)];
        let life = self.lives[dice(ProcessNo::N)];
        let token = (!self.tokens.is_empty()).then(|| self.tokens[dice(self.tokens.len())]);
        match (dice(12), token) {
            (0, _) => self.add(task),
            (1, _) => self.settle(),
            (2..=4, _) => self.grab(task, life),
            (5, Some(token)) => self.eject(token, life),
            (6..=7, Some(token)) => self.end(token, [End::Done, End::Retry, End::Back][dice(3)]),
            (8, Some(token)) => self.reap(token),
            (9, Some(token)) if dice(4) == 0 => self.cancel(token),
            (10, _) => self.renew(life),
            (11, _) if dice(3) == 0 => self.lapse(life.process),
            _ => self.sweep(life),
        }
        for task in TaskNo::ALL {
            assert_eq!(self.look(task), self.model.places[task.at()], "{task}");
        }
    }

    fn add(&mut self, no: TaskNo) {
        let keyed = no == TaskNo::ALL[0];
        // A repeat comes under another id, as the engine sends it.
        let id = if self.look(no) == Place::Nowhere { no.id() } else { TaskId::new(9, [self.adds, 0]) };
        self.adds += 1;
        let mut new = NewTask::new(id, kind(no), Payload::default());
        new.key = keyed.then(|| Key::key("once"));
        new.key_window = Policy::default().key_window;
        let receipt = (!keyed).then(|| Receipt::new(0, [0, 0]));
        let added =
            now(self.memory.add(steadfast_core::seam::Add { tasks: vec![new], births: None, receipt }));
        let fresh = added.is_ok_and(|adds| adds.added[0].fresh);
        let model = if keyed {
            self.model.add_keyed(&self.law, no)
        } else {
            self.model.add_with_receipt(&self.law, no, 0)
        };
        assert_eq!(fresh, model, "add {no}");
    }

    fn settle(&mut self) {
        let settled: Settled = now(self.memory.settle(Receipt::new(0, [0, 0]))).unwrap();
        assert_eq!(settled, self.model.settle(0));
    }

    fn grab(&mut self, no: TaskNo, by: Life) {
        let demand = Demand { kind: kind(no), priority: Priority::default(), lane: Lane::Plain, n: 1 };
        let grab = Grab {
            worker: by.id(),
            bucket: Bucket::default(),
            demands: vec![(demand, Policy::DEADLINE)],
            under: None,
            durable: true,
        };
        let granted = now(self.memory.grab(grab)).unwrap();
        let token = self.model.grab(&self.law, no, by);
        assert_eq!(granted.first().and_then(Task::fence), token.map(fence), "grab {no} by {by}");
        self.tokens.extend(token);
    }

    fn eject(&mut self, seen: Token, by: Life) {
        let eject = Eject {
            id: seen.task.id(),
            guard: Guard::Grant(grant(seen.grant)),
            worker: by.id(),
            deadline: Policy::DEADLINE,
            step: None,
            payload: None,
        };
        let ejected = now(self.memory.eject(eject)).unwrap().ok();
        let token = self.model.eject(&self.law, seen.task, by, seen.grant).map(|(_, new)| new);
        assert_eq!(ejected.and_then(|task| task.fence()), token.map(fence), "eject {seen} by {by}");
        self.tokens.extend(token);
    }

    fn end(&mut self, token: Token, end: End) {
        let finish = Finish { fence: fence(token), cause: Cause::Holder, change: self.law.end(token, end) };
        let answer = now(self.memory.finish(vec![finish])).unwrap()[0];
        let ended = self.model.end(&self.law, token, end);
        assert_eq!(answer != Finished::Lost, ended.accepted, "{end:?} of {token}");
    }

    fn reap(&mut self, token: Token) {
        let finish = Finish { fence: fence(token), cause: Cause::Dead, change: self.law.reap(token) };
        let answer = now(self.memory.finish(vec![finish])).unwrap()[0];
        assert_eq!(answer != Finished::Lost, self.model.reap(&self.law, token), "reap {token}");
    }

    fn cancel(&mut self, seen: Token) {
        let guard = Guard::Grant(grant(seen.grant));
        let act = Act { id: seen.task.id(), guard, deed: Deed::Cancel };
        let acted = now(self.memory.act(vec![act])).unwrap().remove(0).ok();
        let token = self.model.cancel(&self.law, seen.task, seen.grant);
        assert_eq!(acted.and_then(|acted| acted.recalled), token.map(fence), "cancel {seen}");
    }

    /// One that hears that it is dead registers anew.
    fn renew(&mut self, life: Life) {
        let renew = Renew { worker: life.id(), lease: LEASE, handled: vec![] };
        let alive = now(self.memory.renew(renew)).unwrap() != Renewed::Dead;
        assert_eq!(alive, self.model.renew(&self.law, life), "renew {life}");
        if !alive && life.nth < 4 {
            self.lives[life.process.at()] = life.next();
            self.register(life.next());
            self.model.register(life.next());
        }
    }

    /// Time passes, and only this process does not renew.
    fn lapse(&mut self, silent: ProcessNo) {
        let sound = |life: &Life| self.model.is_live(*life) && !self.model.is_lapsed(*life);
        let others: Vec<Life> =
            self.lives.into_iter().filter(|life| life.process != silent).filter(sound).collect();
        self.clock.0.fetch_add(16_000_000, Ordering::SeqCst);
        for life in others {
            self.renew(life);
        }
        self.model.lapse(silent);
    }

    fn sweep(&mut self, by: Life) {
        if !self.model.is_live(by) || self.model.is_lapsed(by) {
            return;
        }
        let strays = now(self.memory.strays(by.id(), 10)).unwrap();
        self.model.mark();
        let mut strays: Vec<_> = strays.iter().filter_map(|stray| stray.task.fence()).collect();
        strays.sort();
        let mut expected: Vec<_> =
            TaskNo::ALL.into_iter().filter_map(|no| self.model.stray(no)).map(fence).collect();
        expected.sort();
        assert_eq!(strays, expected, "sweep by {by}");
    }

    /// A task in the memory store, as the model keeps it.
    fn look(&self, no: TaskNo) -> Place {
        let Some(task) = now(self.memory.get(no.id())).unwrap() else { return Place::Nowhere };
        let worker = Life::all().find(|life| Some(life.id()) == task.worker);
        let grant = u8::try_from(task.grant.get()).unwrap();
        Place::of(Row { status: task.status, grant, worker, attempt: 0 })
    }
}

fn kind(no: TaskNo) -> Kind {
    Kind::new(no.to_string()).unwrap()
}

/// The answer of a store that answers at once.
fn now<T>(mut answer: Answer<'_, T>) -> Result<T, StoreError> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match answer.as_mut().poll(&mut context) {
        std::task::Poll::Ready(answer) => answer,
        std::task::Poll::Pending => panic!("the memory store answers at once"),
    }
}

/// Random calls to both, from many seeds.
fn check(fault: Option<Fault>) {
    for seed in 0..5_000_u64 {
        let mut state = seed;
        let mut dice = |sides: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % sides
        };
        let mut pair = Pair::new(fault);
        (0..60).for_each(|_| pair.call(&mut dice));
    }
}

#[test]
fn the_models_store_answers_as_the_memory_store() {
    check(None);
}

#[test]
#[should_panic(expected = "(grant ")]
fn a_store_that_takes_no_grant_answers_otherwise() {
    check(Some(Fault::FinishWithoutGrant));
}

#[test]
#[should_panic(expected = "renew")]
fn a_store_that_revives_answers_otherwise() {
    check(Some(Fault::RenewAfterDead));
}

#[test]
#[should_panic(expected = "add pay")]
fn a_store_that_forgets_keys_answers_otherwise() {
    check(Some(Fault::RepeatAfterDelete));
}
