-- Reads the tasks that a grab takes, in the claim's order; says which have more to read.
-- no row: nothing of the sort is ready
-- index: steadfast_task_kind
-- locks: none; reads one snapshot
select
    seq,
    id,
    due_at,
    ready_at,
    base_at,
    "grant",
    version,
    attempt,
    failures,
    lost,
    created_at,
    format,
    payload,
    coalesce(step, serial, progress, output, errors, extra, payload_len) is not null
from steadfast_task
where status = 4
and lost < 2
and bucket = ?1
and kind = ?2
and priority = ?3
order by ready_at, seq
limit ?4
