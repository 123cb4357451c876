//! Limits that handlers share by name: all of them must mean the same one.

use crate::handler::Handler;
use std::collections::BTreeMap;
use std::sync::Arc;
use steadfast_core::{Bucket, Limit, Of, Refusal};

/// A named limit as a handler declared it: itself, the one above it, and the bucket it counts in.
type Place<'a> = (&'a Limit, Option<&'a Of>, &'a Bucket);

/// Refuses a name that stands for different limits.
pub(crate) fn check<'a>(handlers: impl Iterator<Item = &'a Arc<Handler>>) -> Result<(), Refusal> {
    let mut places: BTreeMap<&str, Place<'_>> = BTreeMap::new();
    for handler in handlers {
        let mut above: Option<&Of> = None;
        for limit in &handler.limits {
            if let Of::Named(name) = limit.whose() {
                if above.is_some_and(|above| !matches!(above, Of::Named(_))) {
                    let text = format!("limit `{name}` is below one that is not shared; name it before that");
                    return Err(Refusal::Config(text));
                }
                let own = (limit, above, &handler.policy.bucket);
                check_same(name, own, *places.entry(name).or_insert(own))?;
            }
            above = Some(limit.whose());
        }
    }
    Ok(())
}

fn check_same(name: &str, one: Place<'_>, other: Place<'_>) -> Result<(), Refusal> {
    let differs = if one.0.max() != other.0.max() {
        format!("is {} for one kind and {} for another", other.0.max(), one.0.max())
    } else if one.0 != other.0 {
        "has two stretches or rates".to_owned()
    } else if one.1 != other.1 {
        "is below different limits".to_owned()
    } else if one.2 != other.2 {
        // Each bucket has a tree of its own.
        format!("is in the buckets `{}` and `{}`, which count apart", other.2, one.2)
    } else {
        return Ok(());
    };
    Err(Refusal::Config(format!("limit `{name}` {differs}; say the same wherever it is named")))
}
