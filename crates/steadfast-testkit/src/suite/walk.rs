//! Random walks: whatever is done to a store in whatever order, it answers and ends as the napkin store does.

use super::model::Model;
use super::{Case, case};
use crate::ground::{Ground, expect, fence, ids, in_s, kind, s, to};
use crate::random::Random;
use steadfast_core::seam::{Cause, Clean, Eject, Finish, Grab, Renewed, Save};
use steadfast_core::{
    Act, Bucket, Change, Deed, Demand, Fence, Filter, Guard, Key, Lane, NewTask, Payload, Policy, Priority,
    Retention, Scope, Status, Task, To, When, WorkerId, lost, overdue,
};

pub(super) fn cases() -> Vec<Case> {
    vec![case(a_store_does_what_the_naive_model_does).rounds(ROUNDS)]
}

const ROUNDS: u64 = 12;
const STEPS: usize = 400;
const KINDS: [&str; 2] = ["mail", "pay|x"];
const PRIORITIES: [Priority; 2] = [Priority::URGENT, Priority::LAST];
const KEYS: [&str; 3] = ["a", "b", "c"];
const SERIALS: [&str; 2] = ["one", "two"];

async fn a_store_does_what_the_naive_model_does(ground: Ground) {
    let mut walk = Walk { random: Random::new(ground.seed), model: Model::default(), ground };
    for _ in 0..3 {
        let worker = walk.ground.worker().await;
        walk.model.live.push(worker);
    }
    for _ in 0..STEPS {
        walk.step().await;
    }
    walk.check_all().await;
}

struct Walk {
    ground: Ground,
    random: Random,
    model: Model,
}

impl Walk {
    async fn step(&mut self) {
        match self.random.below(100) {
            0..20 => self.add().await,
            20..40 => self.grab().await,
            40..57 => self.end().await,
            57..62 => self.save().await,
            62..72 => self.act().await,
            72..75 => self.eject().await,
            75..80 => self.due().await,
            80..87 => self.release().await,
            87..91 => self.sweep().await,
            91..93 => self.renew().await,
            93..94 => self.die().await,
            94..95 => self.clean().await,
            _ => self.ground.pass_s(self.random.next() % 4),
        }
        if self.random.percent(5) {
            self.check_all().await;
        }
    }

    async fn add(&mut self) {
        let mut batch = Vec::new();
        for _ in 0..=self.random.below(3) {
            let key = self.random.percent(30).then(|| Key::key(*self.random.pick(&KEYS)));
            let serial = self.random.percent(30).then(|| (*self.random.pick(&SERIALS)).to_owned());
            batch.push(NewTask {
                key,
                key_window: s(self.random.next() % 6),
                serial,
                priority: *self.random.pick(&PRIORITIES),
                when: self.when(),
                payload: Payload::bytes(vec![1; self.random.below(3)]),
                ..self.ground.task(self.random.pick::<&str>(&KINDS))
            });
        }
        let now = self.ground.now();
        let wanted: Vec<_> = batch.iter().map(|new| self.model.add(new.clone(), now)).collect();
        let added = self.ground.add_all(batch).await.added;
        assert_eq!(added.iter().map(|added| added.id).collect::<Vec<_>>(), wanted);
    }

    async fn grab(&mut self) {
        let (worker, demand) = (*self.random.pick(&self.model.live), self.demand());
        let wanted = self.model.grab(worker, &demand, Ground::DEADLINE, self.ground.now());
        let grabbed = self.ground.grab_demands(worker, &Bucket::default(), vec![demand]).await;
        assert_eq!(ids(&grabbed), ids(&wanted));
        self.check(&wanted).await;
    }

    fn demand(&mut self) -> Demand {
        Demand {
            kind: kind(self.random.pick::<&str>(&KINDS)),
            priority: *self.random.pick(&PRIORITIES),
            lane: if self.random.percent(80) { Lane::Plain } else { Lane::Suspect },
            n: self.random.below(4),
        }
    }

    async fn end(&mut self) {
        let Some(task) = self.some_held() else { return };
        let ends = [
            To::Done(Retention::History),
            To::Done(Retention::Bare),
            To::Done(Retention::Delete),
            To::Error,
            To::Failed,
            To::Run(self.when()),
            To::Parked(in_s(self.random.next() % 9)),
        ];
        let change = Change {
            failures: task.failures + 1,
            step: self.random.percent(20).then(|| "ended".to_owned()),
            ..to(&task, *self.random.pick(&ends))
        };
        let worker = *self.random.pick(&self.model.live);
        let fence = if self.random.percent(10) { Fence { worker, ..fence(&task) } } else { fence(&task) };
        let cause = if self.random.percent(90) { Cause::Holder } else { Cause::Overdue };
        self.finish(Finish { fence, cause, change }).await;
    }

    async fn save(&mut self) {
        let Some(task) = self.some_held() else { return };
        let save = Save {
            step: self.random.percent(40).then(|| "saved".to_owned()),
            payload: self.random.percent(40).then(|| Payload::bytes(*b"saved")),
            progress: self.random.percent(40).then(|| "half".to_owned()),
            deadline: self.random.percent(40).then(|| s(self.random.next() % 9)),
            progressed: self.random.percent(40),
            ..self.ground.save_of(&task)
        };
        let wanted = self.model.save(&save, self.ground.now());
        assert_eq!(self.ground.save(save).await, wanted);
        self.check(&[task]).await;
    }

    async fn act(&mut self) {
        let Some(task) = self.some_task() else { return };
        let deeds = [
            Deed::Again(self.when()),
            Deed::Ack,
            Deed::Cancel,
            Deed::Pause,
            Deed::Release,
            Deed::Reschedule(self.when()),
            Deed::Prioritise(*self.random.pick(&PRIORITIES)),
            Deed::Rewrite { step: Some("rewritten".into()), payload: None },
        ];
        let deed = self.random.pick(&deeds).clone();
        let guard =
            if self.random.percent(70) { Guard::Version(task.version) } else { Guard::Grant(task.grant) };
        let wanted = self.model.act(&Act { id: task.id, guard, deed: deed.clone() }, self.ground.now());
        let stood = self.ground.find(task.id).await.map(|task| task.seq);
        assert_eq!(self.ground.act_guarded(task.id, guard, deed).await, wanted);
        // One that comes back from the history may get a new number: then it stands behind all that are there.
        if task.status.is_final() && self.ground.find(task.id).await.map(|task| task.seq) != stood {
            self.model.stand_last(task.id);
        }
        self.check(&[task]).await;
    }

    async fn eject(&mut self) {
        let Some(task) = self.some_task() else { return };
        let worker = *self.random.pick(&self.model.live);
        let guard = Guard::Grant(task.grant);
        let step = Some("ejected".to_owned());
        let eject = Eject { id: task.id, guard, worker, deadline: Ground::DEADLINE, step, payload: None };
        let wanted = self.model.eject(&eject, self.ground.now()).map(|task| task.fence());
        let ejected = expect(self.ground.store.eject(eject)).await.map(|task| task.fence());
        assert_eq!(ejected, wanted);
        self.check(&[task]).await;
    }

    async fn due(&mut self) {
        let (n_max, worker, demand) =
            (self.random.below(5), *self.random.pick(&self.model.live), self.demand());
        let deadline = Ground::DEADLINE;
        let asks = self.random.percent(50);
        let due = if asks {
            let (bucket, demands) = (Bucket::default(), vec![(demand.clone(), deadline)]);
            expect(
                self.ground
                    .store
                    .due_for(n_max, Grab { worker, bucket, demands, under: None, durable: false }),
            )
            .await
        } else {
            expect(self.ground.store.due(n_max)).await
        };
        let asked = Some((worker, &demand, deadline)).filter(|_| asks && self.ground.store.grants_due());
        let (granted, ready) = self.model.due_for(n_max, asked, self.ground.now());
        assert_eq!(ids(&due.granted), ids(&granted));
        assert_eq!(due.notes.iter().map(|(_, note)| note.n).sum::<usize>(), ready);
        self.check(&due.granted).await;
    }

    async fn release(&mut self) {
        let serial = *self.random.pick(&SERIALS);
        self.model.release(serial, self.ground.now());
        self.ground.release(&[serial]).await;
    }

    /// Leases do not end on these walks; workers die by retiring.
    async fn sweep(&mut self) {
        self.renew().await;
        let wanted = self.model.strays(self.ground.now());
        let strays = self.ground.strays(1000).await;
        let mut seen: Vec<_> = strays.iter().map(|stray| (stray.task.id, stray.cause)).collect();
        seen.sort();
        assert_eq!(seen, wanted);
        for stray in strays {
            let policy = Policy::default();
            let change = match stray.cause {
                Cause::Dead => lost(&stray.task, &policy),
                _ => overdue(&stray.task, &policy, 1),
            };
            self.finish(Finish { fence: fence(&stray.task), cause: stray.cause, change }).await;
        }
    }

    async fn renew(&mut self) {
        for worker in self.model.live.clone() {
            self.renew_one(worker).await;
        }
    }

    async fn renew_one(&mut self, worker: WorkerId) {
        let mut wanted: Vec<Fence> =
            self.model.recalls.iter().copied().filter(|fence| fence.worker == worker).collect();
        wanted.sort();
        let mine = |task: &Task| task.status == Status::Running && task.worker == Some(worker);
        let wanted_running = self.model.tasks.iter().filter(|(task, _)| mine(task)).count();
        let Renewed::Alive { now, mut recalls, running } = self.ground.renew(worker, Vec::new()).await else {
            panic!("the worker should be alive")
        };
        recalls.sort();
        assert_eq!((now, recalls, running), (self.ground.now(), wanted, wanted_running));
        if self.random.percent(50) {
            self.model.recalls.retain(|fence| fence.worker != worker);
            let handled = self.ground.recalls(worker).await;
            self.ground.renew(worker, handled).await;
        }
    }

    async fn die(&mut self) {
        let at = self.random.below(self.model.live.len());
        let dead = std::mem::replace(&mut self.model.live[at], self.ground.worker().await);
        expect(self.ground.store.retire(dead)).await;
    }

    async fn clean(&mut self) {
        let clean = Clean { history: s(10), receipts: s(10), workers: s(10), n_max: 1000 };
        self.model.clean(&clean, self.ground.now());
        expect(self.ground.store.clean(clean)).await;
    }

    async fn finish(&mut self, finish: Finish) {
        let task = self.model.get(finish.fence.task).cloned();
        let wanted = self.model.finish(&finish, self.ground.now());
        assert_eq!(self.ground.finish(finish.fence, finish.cause, finish.change).await, wanted);
        self.check(&task.into_iter().collect::<Vec<_>>()).await;
    }

    /// These tasks must be as the model has them. Numbers in the order of adding differ from store to store.
    async fn check(&self, tasks: &[Task]) {
        for task in tasks {
            let seen = self.ground.find(task.id).await;
            let seq = seen.as_ref().map_or(0, |seen| seen.seq);
            let wanted = self.model.get(task.id).map(|wanted| Task { seq, ..wanted.clone() });
            assert_eq!(seen, wanted);
        }
    }

    async fn check_all(&self) {
        let tasks: Vec<Task> = self.model.tasks.iter().map(|(task, _)| task.clone()).collect();
        self.check(&tasks).await;
        for scope in [Scope::Live, Scope::History] {
            let filter = Filter { scope, ..Filter::default() };
            let n: u64 = expect(self.ground.store.count(filter)).await.iter().map(|count| count.n).sum();
            let ended = |task: &&Task| task.status.is_final() == (scope == Scope::History);
            assert_eq!(n, tasks.iter().filter(ended).count() as u64);
        }
        for key in KEYS.map(Key::key) {
            let wanted = self.model.named(&key, self.ground.now());
            assert_eq!(expect(self.ground.store.look_up(key)).await, wanted);
        }
        let noted: usize = self.ground.look(1000).await.notes.iter().map(|note| note.n).sum();
        assert_eq!(noted, tasks.iter().filter(|task| task.status == Status::Ready).count());
    }

    fn when(&mut self) -> When {
        match self.random.below(4) {
            0 => in_s(self.random.next() % 6),
            1 => When::At(self.ground.now().after(s(self.random.next() % 3))),
            _ => When::Now,
        }
    }

    fn some_held(&mut self) -> Option<Task> {
        self.some(|task| task.status.has_holder())
    }

    fn some_task(&mut self) -> Option<Task> {
        self.some(|_| true)
    }

    fn some(&mut self, fits: impl Fn(&Task) -> bool) -> Option<Task> {
        let tasks: Vec<&Task> =
            self.model.tasks.iter().map(|(task, _)| task).filter(|task| fits(task)).collect();
        (!tasks.is_empty()).then(|| (*self.random.pick(&tasks)).clone())
    }
}
