//! From a caller's `eject` to a run of ours. The slot is booked when the task is here: it is taken over whether there is
//! room or not, so there is nothing to book before.

use super::Dispatcher;
use crate::error::Error;
use crate::news::{Ejecting, Flight, News};
use steadfast_core::seam::Eject;
use steadfast_core::{Hint, Refusal, StoreError, Task};

impl Dispatcher {
    pub(crate) fn eject(&mut self, ejecting: Ejecting) {
        let worker = self.seat.as_ref().filter(|_| self.may_grab()).map(|seat| seat.worker);
        let Some(worker) = worker else {
            let _ = ejecting.reply.send(Err(Error::TakesNone));
            return;
        };
        let eject = Eject {
            id: ejecting.id,
            guard: ejecting.guard,
            worker,
            deadline: self.policy(&ejecting.kind).deadline,
            step: ejecting.step.clone(),
            payload: ejecting.payload.clone(),
        };
        let flight = self.new_flight();
        self.flights.insert(flight);
        let shared = self.shared.clone();
        self.call(async move {
            let result = shared.store.eject(eject).await;
            News::Ejected(flight, Box::new(ejecting), result.map(Box::new))
        });
    }

    /// An ejection came back. If its answer was lost and it happened all the same, the next renews find a task that we do
    /// not know, and give it back.
    pub(crate) fn ejected(
        &mut self,
        flight: Flight,
        ejecting: Ejecting,
        result: Result<Box<Result<Task, Refusal>>, StoreError>,
    ) {
        self.flights.remove(&flight);
        let answer = result.and_then(|taken| Ok((*taken)?));
        if let Ok(task) = &answer {
            match ejecting.from {
                // Perhaps before we heard that we had it: a birth or a grab may come back later than we did.
                Some(from) if self.is_me(from.worker) => self.recall(from),
                Some(from) => self.shared.hints.ring(Hint::Recall(from.worker)),
                None => {}
            }
            self.desk(&task.bucket).book_over(&task.kind, task.lane());
            self.start(Box::new(task.clone()));
        }
        self.forget_recalls();
        let _ = ejecting.reply.send(answer.map_err(Error::from));
    }
}
