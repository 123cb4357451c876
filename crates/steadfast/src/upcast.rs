//! How a handler reads payloads of older versions: from each version to the next, as far as it reads itself.

use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use steadfast_core::{Kind, Outcome, Payload, Refusal};

/// The version that a handler reads, and the ways that lead there.
#[derive(Clone, Default)]
pub(crate) struct Upcasters {
    /// None: the handler reads bytes, and versions are its own affair.
    reads: Option<u32>,
    ways: Vec<(u32, Upcast)>,
}

type Upcast = Arc<dyn Fn(Value) -> Result<Value, String> + Send + Sync>;

impl Upcasters {
    /// For a handler that reads this version.
    pub(crate) fn to(reads: u32) -> Self {
        Self { reads: Some(reads), ways: Vec::new() }
    }

    /// With a way from a version to the next.
    pub(crate) fn add<A, B>(&mut self, from: u32, upcast: impl Fn(A) -> B + Send + Sync + 'static)
    where
        A: serde::de::DeserializeOwned,
        B: serde::Serialize,
    {
        let upcast = move |old: Value| {
            let old: A = serde_json::from_value(old)
                .map_err(|fault| format!("is not a {}: {fault}", std::any::type_name::<A>()))?;
            serde_json::to_value(upcast(old)).map_err(|fault| format!("has no JSON form: {fault}"))
        };
        self.ways.push((from, Arc::new(upcast)));
    }

    /// Refuses ways that meet, have gaps, or do not end at the version that is read.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        let refuse = |text: String| Err(Refusal::Config(text));
        let Some(first) = self.ways.iter().map(|(from, _)| *from).min() else { return Ok(()) };
        let Some(reads) = self.reads else {
            return refuse("upcasters are for typed handlers; this one reads bytes".into());
        };
        let mut known = BTreeSet::new();
        for (from, _) in &self.ways {
            if *from >= reads {
                return refuse(format!(
                    "an upcaster from {from}, but the handler reads {reads}; raise VERSION"
                ));
            }
            if !known.insert(*from) {
                return refuse(format!("two upcasters from {from} to {}; keep one", from + 1));
            }
        }
        match (first..reads).find(|from| !known.contains(from)) {
            Some(gap) => refuse(format!("no upcaster from {gap} to {}, but one from {first}", gap + 1)),
            None => Ok(()),
        }
    }

    /// What a run goes on with as the same kind is of the version that its handler reads, unless it says otherwise.
    pub(crate) fn stamp(&self, mut outcome: Outcome) -> Outcome {
        let _ = outcome.each_payload(&mut |kind, payload| {
            if kind.is_none() {
                self.stamp_one(payload);
            }
            Ok::<_, Refusal>(())
        });
        outcome
    }

    /// The same for one payload.
    pub(crate) fn stamp_one(&self, payload: &mut Payload) {
        if payload.format.json && payload.format.version == 0 {
            payload.format.version = self.reads.unwrap_or(0);
        }
    }

    /// The payload as the handler reads it, or what to say instead.
    pub(crate) fn lift(&self, kind: &Kind, payload: Payload) -> Result<Payload, Outcome> {
        let version = payload.format.version;
        let Some(reads) = self.reads.filter(|reads| *reads != version) else { return Ok(payload) };
        let what = format!("payload of kind `{kind}` is version {version}, the handler reads {reads}");
        if version > reads {
            return Err(Outcome::retry(format!("{what}: a worker of a newer build has to run it")));
        }
        let mut value: Value = payload
            .read()
            .map_err(|fault| Outcome::Fail(format!("payload of kind `{kind}` is not JSON: {fault}")))?;
        for from in version..reads {
            let to = from + 1;
            let Some((_, upcast)) = self.ways.iter().find(|(way, _)| *way == from) else {
                return Err(Outcome::Fail(format!("{what}: no upcaster from {from} to {to}")));
            };
            value = upcast(value)
                .map_err(|fault| Outcome::Fail(format!("{what}: from {from} to {to}, it {fault}")))?;
        }
        let payload = Payload::json(kind.as_str(), &value);
        Ok(payload.map_err(|refusal| Outcome::Fail(refusal.to_string()))?.version(reads))
    }
}
