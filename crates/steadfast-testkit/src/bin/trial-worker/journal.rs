//! What a worker writes down where it outlives the worker.

use std::fmt::{self, Write as _};
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use steadfast::Run;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// A file that all workers of a trial append to.
#[derive(Clone)]
pub(crate) struct Journal {
    pub(crate) path: Arc<str>,
    pub(crate) name: Arc<str>,
}

impl Journal {
    /// One write call a line, appended: lines of several processes do not mix.
    pub(crate) fn write(&self, line: &str) {
        let mut file =
            OpenOptions::new().create(true).append(true).open(&*self.path).expect("the journal opens");
        file.write_all(format!("{line}\n").as_bytes()).expect("the journal is written");
    }

    /// A handler starts: to the world outside this is the effect, with its token.
    pub(crate) fn ran(&self, run: &Run) {
        let now = micros_now();
        let token = run.token();
        self.write(&format!("RUN {now} {} {} {} {}", self.name, token.task, token.grant, token.worker));
    }

    /// A handler was told to end.
    pub(crate) fn cancelled(&self, run: &Run) {
        self.write(&format!("CANCELLED {} {} {}", micros_now(), self.name, run.token()));
    }
}

fn micros_now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970").as_micros()
}

/// Writes the engine's warnings to the journal, so that a trial can count what was refused.
pub(crate) struct Warnings(pub(crate) Journal);

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN && metadata.target().starts_with("steadfast")
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = format!("LOG {}", self.0.name);
        event.record(&mut Line(&mut line));
        self.0.write(&line.replace('\n', " "));
    }

    // Nobody looks at spans here.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Line<'a>(&'a mut String);

impl Visit for Line<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = write!(self.0, " {}={value:?}", field.name());
    }
}
