-- Reads a living task with its payload.
-- no row: it ended or never was
-- index: primary key
-- locks: none; reads one snapshot
select
    seq,
    id,
    bucket,
    kind,
    subkind,
    step,
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
    key_space,
    key,
    key_window,
    serial,
    search1,
    search2,
    parent,
    context,
    progress,
    output,
    errors,
    created_at,
    changed_at,
    format,
    payload_len,
    payload
from steadfast.task
where id = $1::uuid
