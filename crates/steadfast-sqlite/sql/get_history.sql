-- Reads an ended task with its payload, unless that is large.
-- no row: it lives, was not kept, or never was
-- index: primary key
-- locks: none; reads one snapshot
select
    seq,
    id,
    bucket,
    kind,
    status,
    priority,
    due_at,
    ready_at,
    base_at,
    null,
    "grant",
    null,
    version,
    attempt,
    failures,
    lost,
    created_at,
    changed_at,
    step,
    serial,
    progress,
    output,
    errors,
    extra,
    format,
    payload_len,
    payload
from steadfast_history
where id = ?1
