//! What a handler gets to read: the payload opened, and lifted to the version that it knows.

use crate::codec::Unopened;
use crate::handler::Handler;
use crate::packing;
use std::panic::{AssertUnwindSafe, catch_unwind};
use steadfast_core::effects;
use steadfast_core::{Kind, Outcome, Payload, Task};

/// Makes a task's payload readable, or says what becomes of the task instead; the payload then stays as it is.
pub(crate) fn read(handler: &Handler, task: &mut Task, unpacked_bytes_max: usize) -> Result<(), Outcome> {
    let Some(payload) = &task.payload else { return Ok(()) };
    let opened = packing::open(payload, unpacked_bytes_max).map_err(|fault| unopened(&task.kind, &fault))?;
    task.payload = Some(lift(handler, &task.kind, opened)?);
    Ok(())
}

/// An upcaster is the application's code and may panic: a failure, as in a handler.
fn lift(handler: &Handler, kind: &Kind, payload: Payload) -> Result<Payload, Outcome> {
    catch_unwind(AssertUnwindSafe(|| handler.upcasters.lift(kind, payload)))
        .unwrap_or_else(|panic| Err(Outcome::retry(effects::panicked(panic.as_ref()))))
}

/// Another worker may have the algorithm; nobody can mend damaged bytes.
fn unopened(kind: &Kind, fault: &Unopened) -> Outcome {
    let text = format!("payload of kind `{kind}` {fault}");
    match fault {
        Unopened::Missing(_) => Outcome::retry(text),
        #[cfg(feature = "compression")]
        Unopened::Damaged(..) | Unopened::TooLarge(_) => Outcome::Fail(text),
    }
}
