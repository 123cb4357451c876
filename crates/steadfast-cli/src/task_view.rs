//! A task as programs see it.

use serde_json::{Map, Value, json};
use std::fmt::Write;
use steadfast::{Payload, Task};

/// All of a task as JSON. Times are microseconds since 1970 in `*_us` and text beside them.
pub(crate) fn value(task: &Task) -> Value {
    let mut map = Map::new();
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            map.insert(name.to_owned(), value);
        }
    };
    put("id", json!(task.id.to_string()));
    put("version", json!(task.version.get()));
    put("kind", json!(task.kind.as_str()));
    put("subkind", json!(task.subkind));
    put("status", json!(task.status.as_str()));
    put("step", json!(task.step));
    put("bucket", json!(task.bucket.as_str()));
    put("priority", json!(task.priority.get()));
    put("created_at", json!(task.created_at.to_string()));
    put("changed_at", json!(task.changed_at.to_string()));
    put("due_at", json!(task.due_at.to_string()));
    put("deadline_at", json!(task.deadline_at.map(|time| time.to_string())));
    put("worker", json!(task.worker.map(|worker| worker.to_string())));
    put("grant", json!(task.grant.get()));
    put("attempt", json!(task.attempt));
    put("failures", json!(task.failures));
    put("lost", json!(task.lost));
    put("key", json!(task.key.as_ref().map(|key| &key.name)));
    put("serial", json!(task.serial));
    put("search1", json!(task.search1));
    put("search2", json!(task.search2));
    put("parent", json!(task.parent.map(|parent| parent.to_string())));
    put("context", if task.context.is_empty() { Value::Null } else { json!(task.context) });
    put("progress", json!(task.progress));
    put("output", json!(task.output));
    put("errors", if task.errors.all().is_empty() { Value::Null } else { json!(task.errors) });
    put("payload_bytes", json!(task.payload_len));
    let version = task.payload.as_ref().map(|payload| payload.format.version);
    put("payload_version", json!(version.filter(|version| *version > 0)));
    Value::Object(map)
}

/// A payload for programs: JSON as it is, other text as text, other bytes in hexadecimal.
pub(crate) fn payload(payload: &Payload) -> Value {
    match (payload.read::<Value>(), std::str::from_utf8(&payload.bytes)) {
        (Ok(value), _) => json!({ "json": value }),
        (Err(_), Ok(text)) => json!({ "text": text }),
        (Err(_), Err(_)) => json!({ "hex": hex(&payload.bytes) }),
    }
}

/// A payload for people.
pub(crate) fn payload_text(payload: &Payload) -> String {
    std::str::from_utf8(&payload.bytes).map_or_else(|_| format!("0x{}", hex(&payload.bytes)), str::to_owned)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string never fails.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
