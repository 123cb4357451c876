//! What to add: a payload and everything else that a task can be told.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};
use steadfast_core::{
    Compress, Key, Kind, NewTask, Payload, Policy, Priority, Refusal, Repeat, Task, TaskId, Time,
    TraceContext, When,
};

/// A payload type that names its kind.
///
/// ```
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Welcome { to: String }
///
/// impl steadfast::Kinded for Welcome {
///     const KIND: &'static str = "mail.welcome";
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` names no kind",
    note = "implement `Kinded` for it, or name the kind: `Handler::json(\"...\", ...)`, `#[task(kind = \"...\")]`"
)]
pub trait Kinded: serde::Serialize + serde::de::DeserializeOwned + Send + 'static {
    /// The kind of its tasks.
    const KIND: &'static str;

    /// The version of this type, written down with every payload. Raise it when a change cannot be read by older
    /// programs or cannot read their payloads, and say with [`Handler::upcast`](crate::Handler::upcast) how to read
    /// what is already there. A field with `#[serde(default)]` needs no new version.
    const VERSION: u32 = 0;

    /// As a payload of this version, for a rewrite or a finish by token.
    fn to_payload(&self) -> Result<Payload, Refusal> {
        Ok(Payload::json(Self::KIND, self)?.version(Self::VERSION))
    }
}

/// A task to be added. Whatever is wrong with it is said when it is added.
///
/// ```
/// # use std::time::Duration;
/// # #[derive(serde::Serialize, serde::Deserialize)] struct Welcome { to: String }
/// # impl steadfast::Kinded for Welcome { const KIND: &'static str = "mail.welcome"; }
/// let new = steadfast::New::of(Welcome { to: "ada".into() }).after(Duration::from_secs(60)).key("welcome-ada");
/// ```
#[derive(Debug, Clone)]
#[must_use = "a task exists only when it was added"]
pub struct New {
    kind: Result<Kind, Refusal>,
    payload: Result<Payload, Refusal>,
    priority: Option<Result<Priority, Refusal>>,
    when: Result<When, Refusal>,
    key: Option<Key>,
    second_key: Option<Key>,
    on_repeat: Repeat,
    more: More,
}

#[derive(Debug, Clone, Default)]
struct More {
    subkind: Option<String>,
    step: Option<String>,
    serial: Option<String>,
    search1: Option<String>,
    search2: Option<String>,
    parent: Option<TaskId>,
    context: BTreeMap<String, String>,
    compression: Option<Compress>,
}

impl New {
    /// A task of the payload's own kind.
    #[expect(clippy::needless_pass_by_value, reason = "a payload that was added is not needed any more")]
    pub fn of<T: Kinded>(payload: T) -> Self {
        Self::build(Kind::new(T::KIND), payload.to_payload())
    }

    /// A task of a kind given by name, with bytes that its handler understands.
    pub fn kind(kind: impl AsRef<str>, payload: impl Into<Vec<u8>>) -> Self {
        Self::build(Kind::new(kind), Ok(Payload::bytes(payload.into())))
    }

    /// A task of a kind given by name, with a value as JSON.
    pub fn json(kind: impl AsRef<str>, payload: &impl serde::Serialize) -> Self {
        let payload = Payload::json(kind.as_ref(), payload);
        Self::build(Kind::new(kind), payload)
    }

    fn build(kind: Result<Kind, Refusal>, payload: Result<Payload, Refusal>) -> Self {
        let when = Ok(When::Now);
        Self {
            kind,
            payload,
            priority: None,
            when,
            key: None,
            second_key: None,
            on_repeat: Repeat::Keep,
            more: More::default(),
        }
    }

    /// With a suffix to its kind: the handler and its limit stay, the order of claims and a cluster limit named `*` look
    /// at the whole.
    pub fn suffix(mut self, suffix: &str) -> Self {
        self.kind = self.kind.and_then(|kind| Kind::new(format!("{kind}|{suffix}")));
        self
    }

    /// Under the caller's own id: a repeat is harmless and returns the first task.
    pub fn id(self, id: impl Into<String>) -> Self {
        self.named(Key::id(id))
    }

    /// Under a key that at most one task has, also for a while after it ended.
    pub fn key(self, key: impl Into<String>) -> Self {
        self.named(Key::key(key))
    }

    /// What becomes of it if its key, or own id, names a task already. That task stays as it is unless this says otherwise.
    ///
    /// ```
    /// # use steadfast::{New, Repeat};
    /// # use std::time::Duration;
    /// // Indexed a minute after the last change: each change moves the task that still waits.
    /// let index = New::kind("index", "page 7")
    ///     .key("index page 7")
    ///     .after(Duration::from_secs(60))
    ///     .on_repeat(Repeat::Replace);
    /// ```
    pub fn on_repeat(mut self, on_repeat: Repeat) -> Self {
        self.on_repeat = on_repeat;
        self
    }

    /// Not before so long from now, by the database's clock.
    pub fn after(mut self, delay: Duration) -> Self {
        self.when = Ok(When::After(delay));
        self
    }

    /// Not before this time.
    pub fn at(mut self, time: SystemTime) -> Self {
        self.when = Time::from_system("time", time).map(When::At);
        self
    }

    /// How urgent: 0 goes first, 9 last.
    pub fn priority(mut self, priority: impl Into<i64>) -> Self {
        self.priority = Some(Priority::new(priority.into()));
        self
    }

    /// A label for people and reports.
    pub fn subkind(mut self, subkind: impl Into<String>) -> Self {
        self.more.subkind = Some(subkind.into());
        self
    }

    /// Where its state machine starts.
    pub fn step(mut self, step: impl Into<String>) -> Self {
        self.more.step = Some(step.into());
        self
    }

    /// One at a time, in order of adding, among the tasks that name this.
    pub fn serial(mut self, serial: impl Into<String>) -> Self {
        self.more.serial = Some(serial.into());
        self
    }

    /// To be found by this.
    pub fn search1(mut self, key: impl Into<String>) -> Self {
        self.more.search1 = Some(key.into());
        self
    }

    /// To be found by this too.
    pub fn search2(mut self, key: impl Into<String>) -> Self {
        self.more.search2 = Some(key.into());
        self
    }

    /// Added by this task.
    pub fn parent(mut self, parent: TaskId) -> Self {
        self.more.parent = Some(parent);
        self
    }

    /// With a correlation id, trace context or header.
    pub fn context(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.more.context.insert(name.into(), value.into());
        self
    }

    /// With a payload of this version of its type, for a payload that was not made from the type itself.
    pub fn version(mut self, version: u32) -> Self {
        self.payload = self.payload.map(|payload| payload.version(version));
        self
    }

    /// With its payload made smaller by this rule, whatever that of its kind is.
    ///
    /// ```
    /// use steadfast::{Compress, Compression, New};
    /// let new = New::kind("import", vec![0; 100_000]).compression(Compress::with(Compression::Zstd));
    /// ```
    pub fn compression(mut self, rule: Compress) -> Self {
        self.more.compression = Some(rule);
        self
    }

    /// The name of its kind; none if the name is refused.
    pub fn kind_name(&self) -> Option<&str> {
        self.kind.as_ref().ok().map(Kind::as_str)
    }

    /// What its context says under this name.
    pub fn context_of(&self, name: &str) -> Option<&str> {
        self.more.context.get(name).map(String::as_str)
    }

    /// Added by a run of this task, at the run's place in the trace. A task with a trace of its own takes nothing of
    /// its parent's.
    pub(crate) fn child_of(mut self, parent: &Task, place: Option<TraceContext>) -> Self {
        self.more.parent.get_or_insert(parent.id);
        let own = self.context_of(TraceContext::PARENT).is_some();
        if let Some(place) = place {
            self = self.trace(place);
        }
        for (name, value) in &parent.context {
            if own && name == TraceContext::STATE {
                continue;
            }
            self.more.context.entry(name.clone()).or_insert_with(|| value.clone());
        }
        self
    }

    fn named(mut self, key: Key) -> Self {
        self.second_key = self.key.replace(key);
        self
    }

    /// The kind, if it is one.
    pub(crate) fn kind_of(&self) -> Result<&Kind, Refusal> {
        self.kind.as_ref().map_err(Clone::clone)
    }

    /// Checks everything and makes the task, by its kind's policy where the adder said nothing.
    pub(crate) fn into_task(
        self,
        id: TaskId,
        policy: &Policy,
        payload_bytes_max: usize,
        pack: impl FnOnce(Compress, Payload) -> Result<Payload, Refusal>,
    ) -> Result<NewTask, Refusal> {
        if let Some(key) = self.second_key {
            return Err(Refusal::TwoKeys(key.name));
        }
        let payload = pack(self.more.compression.unwrap_or(policy.compression), self.payload?)?;
        let new = NewTask {
            bucket: policy.bucket.clone(),
            priority: self.priority.unwrap_or(Ok(policy.priority))?,
            when: self.when?,
            key: self.key,
            on_repeat: self.on_repeat,
            key_window: policy.key_window,
            subkind: self.more.subkind,
            step: self.more.step,
            serial: self.more.serial,
            search1: self.more.search1,
            search2: self.more.search2,
            parent: self.more.parent,
            context: self.more.context,
            ..NewTask::new(id, self.kind?, payload)
        };
        new.check(payload_bytes_max)?;
        Ok(new)
    }
}

impl<T: Kinded> From<T> for New {
    fn from(payload: T) -> Self {
        Self::of(payload)
    }
}
