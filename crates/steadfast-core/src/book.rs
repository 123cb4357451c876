//! Limits that a user writes: code that is asked before a task is taken and told when its run is over.

use crate::kind::Kind;
use crate::priority::Priority;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// How long a kind stands aside whose book panicked.
const PANIC_WAIT: Duration = Duration::from_secs(1);

/// A limit written as code. The engine asks it after all declared limits have room.
///
/// It is called on the loop that owns the engine's state: it must be quick and must not block. For each
/// [`Room::Yes`] there is exactly one [`free`](Self::free), whatever became of the task: its run ended, somebody
/// else was faster and there was no run, its worker lost it, the engine stopped.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use steadfast_core::{Book, Kind, Priority, Room};
///
/// /// As many at once as somebody sets from elsewhere.
/// struct Dial {
///     max: AtomicUsize,
///     used: AtomicUsize,
/// }
///
/// impl Book for Dial {
///     fn book(&self, _: &Kind, _: Priority) -> Room {
///         if self.used.load(Ordering::SeqCst) >= self.max.load(Ordering::SeqCst) {
///             return Room::No { again_in: None };
///         }
///         self.used.fetch_add(1, Ordering::SeqCst);
///         Room::Yes
///     }
///
///     fn free(&self, _: &Kind) {
///         self.used.fetch_sub(1, Ordering::SeqCst);
///     }
/// }
/// ```
pub trait Book: Send + Sync {
    /// Takes a slot for one more run of a kind, or says that there is none.
    fn book(&self, kind: &Kind, priority: Priority) -> Room;

    /// Gives a slot back.
    fn free(&self, kind: &Kind);
}

/// Whether there is room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Room {
    /// There is, and it is taken.
    Yes,
    /// There is none.
    No {
        /// When to ask again. It is asked sooner when a run of the kind ends, and with every sweep.
        again_in: Option<Duration>,
    },
}

/// A kind's book, with what is taken of it: whatever is left is given back when this is dropped.
pub(crate) struct Booked {
    kind: Kind,
    book: Arc<dyn Book>,
    used: usize,
    /// Runs that were taken over without asking the book: it hears of their end as little as of their start.
    over: usize,
}

impl Booked {
    pub(crate) fn new(kind: Kind, book: Arc<dyn Book>) -> Self {
        Self { kind, book, used: 0, over: 0 }
    }

    pub(crate) fn book(&mut self, priority: Priority) -> Room {
        let room = catch_unwind(AssertUnwindSafe(|| self.book.book(&self.kind, priority)));
        let room = room.unwrap_or(Room::No { again_in: Some(PANIC_WAIT) });
        self.used += usize::from(room == Room::Yes);
        room
    }

    pub(crate) fn book_over(&mut self) {
        self.over += 1;
    }

    pub(crate) fn free(&mut self) {
        if let Some(over) = self.over.checked_sub(1) {
            self.over = over;
            return;
        }
        debug_assert!(self.used > 0, "a slot was freed twice");
        if let Some(used) = self.used.checked_sub(1) {
            self.used = used;
            // A panic here is the user's own loss: the engine goes on.
            let _ = catch_unwind(AssertUnwindSafe(|| self.book.free(&self.kind)));
        }
    }
}

impl Drop for Booked {
    fn drop(&mut self) {
        self.over = 0;
        while self.used > 0 {
            self.free();
        }
    }
}

impl fmt::Debug for Booked {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Booked").field("kind", &self.kind).field("used", &self.used).finish_non_exhaustive()
    }
}
