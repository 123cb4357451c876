//! What enters the store is packed by the rule of its kind, and what leaves it is opened. Nothing else here and no
//! handler ever sees packed bytes.

use crate::codec::{self, Unopened};
use crate::shared::Shared;
use steadfast_core::limit::UNPACKED_BYTES_MAX;
use steadfast_core::{Compress, Compression, Kind, Outcome, Payload, Refusal, Task};

impl Shared {
    /// The largest payload when it is unpacked. An engine that allows larger plain ones allows them packed too.
    pub(crate) fn unpacked_bytes_max(&self) -> usize {
        self.config.payload_bytes_max.max(UNPACKED_BYTES_MAX)
    }

    /// Packs a payload by a rule, if that makes it smaller. What is packed already stays as it is.
    pub(crate) fn pack_by(&self, rule: Compress, payload: Payload) -> Result<Payload, Refusal> {
        payload.check(self.unpacked_bytes_max())?;
        let payload = pack(rule, payload);
        payload.check(self.config.payload_bytes_max)?;
        Ok(payload)
    }

    /// Packs a payload by its kind's rule. A rule that cannot be read just now is taken as it was known last.
    pub(crate) async fn pack(&self, kind: &Kind, payload: Payload) -> Result<Payload, Refusal> {
        self.refresh(kind).await;
        self.pack_as_known(kind, payload)
    }

    fn pack_as_known(&self, kind: &Kind, payload: Payload) -> Result<Payload, Refusal> {
        self.pack_by(self.policies.of(kind).compression, payload)
    }

    async fn refresh(&self, kind: &Kind) {
        if let Err(error) = self.policies.refresh_for(kind).await {
            tracing::warn!(%kind, %error, "policies not read");
        }
    }

    /// An outcome as it is kept: checked, and what it brings along packed by the rule of the kind that goes on with it.
    pub(crate) async fn keep(&self, task: &Task, mut outcome: Outcome) -> Result<Outcome, Refusal> {
        let mut kinds = Vec::new();
        let _ = outcome.each_payload(&mut |kind, _| {
            kinds.extend(kind.cloned());
            Ok::<_, Refusal>(())
        });
        for kind in &kinds {
            self.refresh(kind).await;
        }
        self.keep_as_known(task, outcome)
    }

    /// The same where nobody can wait: rules are taken as they were known last.
    pub(crate) fn keep_as_known(&self, task: &Task, mut outcome: Outcome) -> Result<Outcome, Refusal> {
        outcome.each_payload(&mut |kind, payload| {
            *payload = self.pack_as_known(kind.unwrap_or(&task.kind), std::mem::take(payload))?;
            Ok(())
        })?;
        outcome.check(self.config.payload_bytes_max)?;
        Ok(outcome)
    }

    /// A task as its readers see it. A payload that cannot be opened stays packed, and its format says so.
    pub(crate) fn opened(&self, mut task: Task) -> Task {
        if let Some(Ok(payload)) =
            task.payload.as_ref().map(|payload| open(payload, self.unpacked_bytes_max()))
        {
            task.payload = Some(payload);
        }
        task
    }
}

fn pack(rule: Compress, payload: Payload) -> Payload {
    let plain = payload.format.compression == Compression::None;
    if !plain || rule.is_none() || payload.len() < rule.bytes_min {
        return payload;
    }
    match codec::pack(rule.algorithm, &payload.bytes) {
        Some(bytes) if bytes.len() < payload.len() => {
            let mut format = payload.format;
            format.compression = rule.algorithm;
            Payload { bytes: bytes.into(), format }
        }
        _ => payload,
    }
}

/// Opens a payload that unpacks to no more than this.
pub(crate) fn open(payload: &Payload, bytes_max: usize) -> Result<Payload, Unopened> {
    if payload.format.compression == Compression::None {
        return Ok(payload.clone());
    }
    let bytes = codec::open(payload.format.compression, &payload.bytes, bytes_max)?;
    let mut format = payload.format;
    format.compression = Compression::None;
    Ok(Payload { bytes: bytes.into(), format })
}
