//! Where a task stands in a distributed trace, as W3C Trace Context writes it. Nothing is exported from here: the
//! words travel in a task's context, and whoever traces reads them.

use crate::grant::Fence;
use std::collections::BTreeMap;
use std::fmt;

/// A place in a trace: what the header `traceparent` says.
///
/// ```
/// use steadfast_core::TraceContext;
///
/// let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
/// let trace = TraceContext::parse(header).expect("a good header");
/// assert_eq!(trace.trace_id(), "0af7651916cd43dd8448eb211c80319c");
/// assert!(trace.is_sampled());
/// assert_eq!(trace.to_string(), header);
/// assert_eq!(TraceContext::parse("00-0-0-01"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceContext {
    trace: u128,
    span: u64,
    flags: u8,
}

/// The flags that have a meaning: sampled, and a trace id made by chance.
const FLAGS: u8 = 0b11;
const SAMPLED: u8 = 0b01;

impl TraceContext {
    /// The name of the place in a task's context.
    pub const PARENT: &str = "traceparent";
    /// The name of what tracing systems add to it; it is passed on as it is.
    pub const STATE: &str = "tracestate";

    /// A place in a trace; none if an id is zero, which the standard forbids.
    pub const fn new(trace: u128, span: u64, sampled: bool) -> Option<Self> {
        let flags = if sampled { SAMPLED } else { 0 };
        if trace == 0 || span == 0 { None } else { Some(Self { trace, span, flags }) }
    }

    /// Reads a `traceparent`; none for what is none, which the standard says to ignore. Of versions after 00 the known
    /// part is read.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut next = |len: usize| parts.next().filter(|part| part.len() == len && is_hex(part));
        let (version, trace, span, flags) = (next(2)?, next(32)?, next(16)?, next(2)?);
        if version == "ff" || (version == "00" && parts.next().is_some()) {
            return None;
        }
        let trace = u128::from_str_radix(trace, 16).ok()?;
        let span = u64::from_str_radix(span, 16).ok()?;
        let flags = u8::from_str_radix(flags, 16).ok()? & if version == "00" { FLAGS } else { SAMPLED };
        Self::new(trace, span, false).map(|place| Self { flags, ..place })
    }

    /// What a task's context says of it.
    pub fn of(context: &BTreeMap<String, String>) -> Option<Self> {
        context.get(Self::PARENT).and_then(|text| Self::parse(text))
    }

    /// The place of a run in its task's trace. The span's id follows from the grant, so every step of a run and
    /// everybody who has its token finds the same one, and no other run has it.
    #[must_use]
    pub fn of_run(self, run: Fence) -> Self {
        let (task, worker) = (run.task.uuid().as_u64_pair(), run.worker.uuid().as_u64_pair());
        let words = [task.0, task.1, run.grant.get().cast_unsigned(), worker.0, worker.1];
        let span = words.into_iter().fold(0, |sum, word| mix(sum ^ word));
        Self { span: span.max(1), ..self }
    }

    /// The trace's id, in hexadecimal.
    pub fn trace_id(&self) -> String {
        format!("{:032x}", self.trace)
    }

    /// The id of the span that it names, in hexadecimal.
    pub fn span_id(&self) -> String {
        format!("{:016x}", self.span)
    }

    /// Whether the caller may have recorded the trace.
    pub const fn is_sampled(&self) -> bool {
        self.flags & SAMPLED != 0
    }
}

/// As a `traceparent` of version 00.
impl fmt::Display for TraceContext {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "00-{:032x}-{:016x}-{:02x}", self.trace, self.span, self.flags)
    }
}

/// The standard knows small letters only.
fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Spreads a number over all bits (splitmix64).
const fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
