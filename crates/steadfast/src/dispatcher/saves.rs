//! From a run that says where it stands to the written row. Those of many runs go together.

use super::Dispatcher;
use crate::error::Result;
use crate::news::{News, Saving};
use steadfast_core::StoreError;
use steadfast_core::seam::{Save, Saved};

/// Most saves in one batch.
const BATCH_MAX: usize = 1000;
/// Most bytes in one batch; a single larger one goes alone.
const BATCH_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Saves that may wait here, most of whose runs stopped waiting: those that wait are at most one a run.
const GATHERED_MAX: usize = 100_000;

impl Dispatcher {
    pub(crate) fn save(&mut self, saving: Saving) {
        if self.saves.len() < GATHERED_MAX {
            self.saves.push(saving);
        } else {
            let busy = StoreError::Busy("too many saves wait for the store; try again later".into());
            let _ = saving.reply.send(Err(busy.into()));
        }
    }

    /// Sends what has gathered, unless some are under way.
    pub(crate) fn send_saves(&mut self) {
        if self.saving || self.saves.is_empty() {
            return;
        }
        self.saving = true;
        let batch = self.next_saves();
        let saves: Vec<Save> = batch.iter().map(|saving| saving.save.clone()).collect();
        let shared = self.shared.clone();
        self.call(async move {
            let result = shared.store.save(saves).await;
            News::Saved(batch, result)
        });
    }

    fn next_saves(&mut self) -> Vec<Saving> {
        let n_max = if self.single_saves > 0 { 1 } else { BATCH_MAX };
        self.single_saves = self.single_saves.saturating_sub(1);
        let mut bytes = 0;
        let fits = |saving: &Saving| {
            bytes += saving.bytes();
            bytes <= BATCH_BYTES_MAX
        };
        let n = self.saves.iter().map(fits).take_while(|fits| *fits).count().clamp(1, n_max);
        let rest = self.saves.split_off(n.min(self.saves.len()));
        std::mem::replace(&mut self.saves, rest)
    }

    /// Whoever waits is told. Of a batch that the store does not take, each goes alone: one of them is to blame.
    pub(crate) fn saved(&mut self, mut batch: Vec<Saving>, result: Result<Vec<Saved>, StoreError>) {
        self.saving = false;
        match result {
            Ok(answers) => {
                self.answered += answers.len();
                for (saving, answer) in batch.into_iter().zip(answers) {
                    // The run may have been dropped meanwhile.
                    let _ = saving.reply.send(Ok(answer));
                }
            }
            Err(error) if is_ones_fault(&error) && batch.len() > 1 => {
                self.single_saves += batch.len();
                batch.append(&mut self.saves);
                self.saves = batch;
            }
            Err(error) => {
                for saving in batch {
                    let _ = saving.reply.send(Err(error.clone().into()));
                }
            }
        }
    }
}

/// Whether one of many may be to blame: it is refused, or somebody else has its row.
fn is_ones_fault(error: &StoreError) -> bool {
    matches!(error, StoreError::Busy(_)) || !error.may_pass()
}

impl Saving {
    fn bytes(&self) -> usize {
        let Save { step, payload, progress, .. } = &self.save;
        let texts = [step, progress].into_iter().flatten().map(String::len).sum::<usize>();
        texts + payload.as_ref().map_or(0, |payload| payload.bytes.len())
    }
}
