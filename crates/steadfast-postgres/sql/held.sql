-- Lists all that a worker holds as running, with payloads unless they are large.
-- no row: it holds nothing
-- index: task_running
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
where status = 5
and worker = $1::uuid
