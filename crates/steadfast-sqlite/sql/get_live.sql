-- Reads a living task with its payload, unless that is large.
-- no row: it has ended, or never was
-- index: steadfast_task_id
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
    deadline_at,
    "grant",
    worker,
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
from steadfast_task
where id = ?1
