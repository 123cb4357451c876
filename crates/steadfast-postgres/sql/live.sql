-- Reads living tasks, with their payload unless that is large.
-- no row: they ended or never were
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
    case when payload_len <= 65536 then payload end as payload
from steadfast.task
where id = any($1::uuid[])
