//! Word between workers, by LISTEN and NOTIFY.
//!
//! NOTIFY takes one lock of the whole server until its transaction ends, so it never stands in a transaction that
//! adds. Hints are rung after the commit, on a connection of their own; while one ring is on its way, others gather,
//! and the same hint is rung once. The word of a lone add is quicker (`ahead.rs`). Of tasks nobody is told where nobody
//! listens (`audience.rs`).

use crate::address::Address;
use crate::ahead::Ahead;
use crate::audience::Audience;
use crate::db::Setting;
use crate::fault::told;
use crate::pool::Pool;
use crate::sql::Sql;
use std::collections::BTreeSet;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use steadfast_core::seam::Ears;
use steadfast_core::{Bucket, Hint, Kind, Priority, Time};
use tokio::sync::Notify;
use tokio_postgres::AsyncMessage;
use tokio_postgres::types::Type;
use tokio_util::sync::CancellationToken;

const RING: Sql =
    Sql { name: "ring", text: include_str!("../sql/ring.sql"), types: &[Type::TEXT, Type::TEXT_ARRAY] };

/// Most hints that wait for their ring; beyond it one word stands for all.
const WAITING_MAX: usize = 1000;
/// How long to wait before listening again after the connection was lost.
const PAUSE: Duration = Duration::from_secs(1);

/// Hints on their way to other stores.
pub(crate) struct Ringer {
    /// Marks our own words, so that we do not hear them twice.
    origin: String,
    waiting: Mutex<BTreeSet<Hint>>,
    rung: Notify,
    pub(crate) ahead: Ahead,
    pub(crate) audience: Audience,
}

impl Ringer {
    pub(crate) fn new(origin: u64) -> Arc<Self> {
        let origin = format!("{origin:x}");
        let (ahead, audience) = (Ahead::default(), Audience::default());
        Arc::new(Self { origin, waiting: Mutex::default(), rung: Notify::new(), ahead, audience })
    }

    /// Whether nothing waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// One more hint is to be rung. What is ready is told only if somebody may listen; all else concerns whoever it
    /// concerns, and is rare.
    pub(crate) fn ring(&self, hint: Hint) {
        let of_tasks = matches!(hint, Hint::Look { .. } | Hint::Ready { .. });
        if self.ahead.has_told(&hint) || (of_tasks && !self.audience.may_be_there()) {
            return;
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        gather(&mut waiting, hint);
        if waiting.len() > WAITING_MAX {
            waiting.clear();
            waiting.insert(Hint::LookAll);
        }
        drop(waiting);
        self.rung.notify_one();
    }

    /// Rings what gathers until the store is closed. A hint that cannot be rung is lost: the sweep finds the task.
    pub(crate) async fn work(self: Arc<Self>, pool: Pool, over: CancellationToken) {
        let channel = pool.setting.schema.channel();
        loop {
            tokio::select! {
                biased;
                () = over.cancelled() => return,
                () = self.rung.notified() => {}
            }
            let hints = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
            let words: Vec<String> = hints.iter().map(|hint| self.word(hint)).collect();
            if let Err(fault) = pool.run(&RING, &[&channel, &words]).await {
                tracing::warn!(error = %fault.sorted(), "hints were not rung");
            }
        }
    }

    fn word(&self, hint: &Hint) -> String {
        let origin = &self.origin;
        match hint {
            Hint::Look { bucket, from } => format!("{origin} look {from} {bucket}"),
            Hint::Ready { bucket, kind, priority, ready_at, n, from } => {
                let (head, tail) = self.halves(bucket, kind, *priority, *n, *from);
                format!("{head}{}{tail}", ready_at.micros())
            }
            Hint::LookAll => format!("{origin} look-all"),
            Hint::Recall(worker) => format!("{origin} recall {worker}"),
            Hint::Release(serial) => format!("{origin} release {serial}"),
        }
    }

    /// What stands before and behind the time in the word of ready tasks.
    pub(crate) fn halves(
        &self,
        bucket: &Bucket,
        kind: &Kind,
        priority: Priority,
        n: usize,
        from: u64,
    ) -> (String, String) {
        (format!("{} ready {from} {n} ", self.origin), format!(" {priority} {bucket}\t{kind}"))
    }

    /// What somebody else rang. A word that nobody here understands may mean anything: then all is looked at.
    fn heard(&self, word: &str) -> Option<Hint> {
        let (origin, word) = word.split_once(' ').unwrap_or(("", word));
        (origin != self.origin).then(|| parse(word).unwrap_or(Hint::LookAll))
    }
}

/// One hint more. Two that say what is ready in a bucket become one that says to look: however many adds there are,
/// a ring has one word a bucket.
fn gather(waiting: &mut BTreeSet<Hint>, hint: Hint) {
    let Hint::Ready { bucket, from, .. } = &hint else {
        waiting.insert(hint);
        return;
    };
    let look = Hint::Look { bucket: bucket.clone(), from: *from };
    let other = waiting.iter().find(|other| matches!(other, Hint::Ready { bucket: b, .. } if b == bucket));
    match other.cloned() {
        Some(other) => {
            waiting.remove(&other);
            waiting.insert(look);
        }
        None if waiting.contains(&look) => {}
        None => drop(waiting.insert(hint)),
    }
}

fn parse(word: &str) -> Option<Hint> {
    let (name, rest) = word.split_once(' ')?;
    match name {
        "look" => {
            let (from, bucket) = rest.split_once(' ')?;
            Some(Hint::Look { from: from.parse().ok()?, bucket: Bucket::new(bucket).ok()? })
        }
        "ready" => {
            let mut words = rest.splitn(5, ' ');
            let from = words.next()?.parse().ok()?;
            let n = words.next()?.parse().ok()?;
            let ready_at = Time::from_micros(words.next()?.parse().ok()?);
            let priority = Priority::new(words.next()?.parse().ok()?).ok()?;
            // Neither name holds a control character.
            let (bucket, kind) = words.next()?.split_once('\t')?;
            let (bucket, kind) = (Bucket::new(bucket).ok()?, Kind::new(kind).ok()?);
            Some(Hint::Ready { bucket, kind, priority, ready_at, n, from })
        }
        "recall" => rest.parse().ok().map(Hint::Recall),
        "release" => Some(Hint::Release(rest.to_owned())),
        _ => None,
    }
}

/// Listens until the store is closed, and tells the ears.
pub(crate) async fn listen(
    address: Address,
    setting: Setting,
    ringer: Arc<Ringer>,
    ears: Ears,
    over: CancellationToken,
) {
    loop {
        tokio::select! {
            biased;
            () = over.cancelled() => return,
            ended = hear(&address, &setting, &ringer, &ears) => {
                if let Err(error) = ended {
                    tracing::warn!(error = told(&error), "no hints are heard for a moment");
                }
            }
        }
        tokio::select! {
            biased;
            () = over.cancelled() => return,
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
}

async fn hear(
    address: &Address,
    setting: &Setting,
    ringer: &Ringer,
    ears: &Ears,
) -> Result<(), tokio_postgres::Error> {
    let (client, mut connection) = address.config.connect(address.tls.clone()).await?;
    let listen = format!("listen \"{}\"", setting.schema.channel());
    let mut listening = std::pin::pin!(client.batch_execute(&listen));
    let mut asked = false;
    loop {
        tokio::select! {
            biased;
            answer = &mut listening, if !asked => {
                answer?;
                asked = true;
                // Whatever was said before nobody heard.
                ears.ring(&Hint::LookAll);
            }
            message = poll_fn(|context| connection.poll_message(context)) => match message {
                Some(Ok(AsyncMessage::Notification(note))) => {
                    if let Some(hint) = ringer.heard(note.payload()) {
                        ears.ring(&hint);
                    }
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error),
                None => return Ok(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use steadfast_core::WorkerId;
    use steadfast_testkit::fuzz::fuzz;

    fn ready(bucket: &Bucket, kind: &str, from: u64) -> Hint {
        let (kind, priority) = (Kind::new(kind).unwrap(), Priority::new(3).unwrap());
        Hint::Ready { bucket: bucket.clone(), kind, priority, ready_at: Time::from_micros(5), n: 2, from }
    }

    #[test]
    fn a_second_word_of_a_bucket_makes_it_a_look() {
        let (west, east) = (Bucket::new("west").unwrap(), Bucket::new("east").unwrap());
        let look = Hint::Look { bucket: west.clone(), from: 7 };
        let mut waiting = BTreeSet::new();
        let mut check = |hint: Hint, gathered: &[Hint]| {
            gather(&mut waiting, hint);
            assert_eq!(waiting, gathered.iter().cloned().collect());
        };
        check(ready(&west, "a", 7), &[ready(&west, "a", 7)]);
        check(ready(&east, "a", 7), &[ready(&west, "a", 7), ready(&east, "a", 7)]);
        check(ready(&west, "b", 7), &[look.clone(), ready(&east, "a", 7)]);
        check(ready(&west, "c", 7), &[look, ready(&east, "a", 7)]);
    }

    #[test]
    fn a_hint_comes_back_as_it_was_rung_and_not_to_oneself() {
        let (mine, other) = (Ringer::new(1), Ringer::new(2));
        let bucket = Bucket::new("the far west").unwrap();
        for hint in [
            Hint::Look { bucket: bucket.clone(), from: 7 },
            ready(&bucket, "pay the west|ROW", 7),
            Hint::LookAll,
            Hint::Recall(WorkerId::new(5, [6, 7])),
            Hint::Release("account 1".into()),
        ] {
            assert_eq!(other.heard(&mine.word(&hint)), Some(hint.clone()));
            assert_eq!(mine.heard(&mine.word(&hint)), None);
        }
        assert_eq!(mine.heard("anything"), Some(Hint::LookAll));
    }

    #[test]
    fn damaged_hints_are_heard_or_passed_over() {
        let good = [
            "look 7 west",
            "ready 7 2 5 3 west\tmail",
            "recall 01932b5c-7d1a-7abc-8def-0123456789ab",
            "release x",
        ];
        fuzz("hints on the channel", &good, |input| {
            let hint = parse(&String::from_utf8_lossy(input));
            hint.map_or_else(
                || "no hint".into(),
                |hint| format!("{hint:?}").split('{').next().unwrap_or_default().into(),
            )
        });
    }
}
