-- Reads an ended task with its payload, if that was kept.
-- no row: it lives, was cleaned or never was
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
    null::bigint as deadline_at,
    "grant",
    null::uuid as worker,
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
from steadfast.history
where id = $1::uuid
