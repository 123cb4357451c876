//! What a run writes into the store's own database, to be committed together with its end.
//!
//! A store makes effects of its own type, the engine carries them, and the same store takes them out again: so a
//! handler works with its driver's own transaction, and neither core nor engine names a driver.

use crate::error::Refusal;
use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Writes that share the fate of a run's end. Made by a store; clones are the same, and are carried out once.
#[derive(Clone)]
pub struct Effects {
    store: &'static str,
    work: Arc<Mutex<Option<Box<dyn Any + Send>>>>,
}

impl Effects {
    /// Effects that the named store knows how to carry out.
    pub fn new(store: &'static str, work: impl Any + Send) -> Self {
        Self { store, work: Arc::new(Mutex::new(Some(Box::new(work)))) }
    }

    /// Takes out what the store made. Refused if another store made it, or if it was taken before.
    pub fn take<T: Any>(&self, store: &'static str) -> Result<T, Refusal> {
        let foreign = || Refusal::ForeignEffects { made_for: self.store, store };
        let work = self.work.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(foreign)?;
        work.downcast().map(|work| *work).map_err(|_| foreign())
    }
}

/// Two are equal if they are the same.
impl PartialEq for Effects {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.work, &other.work)
    }
}

impl Eq for Effects {}

impl fmt::Debug for Effects {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Effects({})", self.store)
    }
}

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Runs effects that hold up the whole store. Whoever asks for the store meanwhile, on the same thread, would wait for
/// ever; [`refuse_inside`] tells them so.
pub fn inside<T>(work: impl FnOnce() -> T) -> T {
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            INSIDE.set(false);
        }
    }
    let _leave = Leave;
    INSIDE.set(true);
    work()
}

/// Whether this thread is inside effects.
pub fn is_inside() -> bool {
    INSIDE.get()
}

/// Refuses a call that effects must not make.
pub fn refuse_inside() -> Result<(), Refusal> {
    if is_inside() { Err(Refusal::InsideEffects) } else { Ok(()) }
}

/// What a panic said, as the text of a failure.
pub fn panicked(panic: &(dyn Any + Send)) -> String {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("panic: {}", text.unwrap_or("of an unknown type"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_are_taken_once_and_by_their_own_store() {
        let effects = Effects::new("one", 7_u32);
        assert_eq!(effects.clone(), effects);
        assert_ne!(effects, Effects::new("one", 7_u32));
        assert_eq!(effects.take::<u32>("one").unwrap(), 7);
        assert!(effects.take::<u32>("one").is_err());
        let refusal = Effects::new("one", 7_u32).take::<u64>("two").unwrap_err();
        assert!(refusal.to_string().contains("made for one"), "{refusal}");
    }

    #[test]
    fn whoever_panics_inside_is_out() {
        assert!(inside(refuse_inside).is_err());
        let panicked = std::panic::catch_unwind(|| inside(|| panic!("on purpose")));
        assert!(panicked.is_err() && !is_inside());
    }
}
