-- Reads the tasks of a kind and priority that a grab takes, in the claim's order.
-- no row: nothing of the sort is ready
-- index: steadfast_task_suspect
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
    subkind,
    step,
    key_space,
    key_name,
    key_window,
    serial,
    search1,
    search2,
    parent,
    context,
    progress,
    output,
    errors,
    format,
    payload_len,
    payload
from steadfast_task
where status = 4
and lost >= 2
and bucket = ?1
and kind = ?2
and priority = ?3
order by ready_at, seq
limit ?4
