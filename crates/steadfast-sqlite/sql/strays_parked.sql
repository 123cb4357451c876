-- Lists what is parked past its time.
-- no row: all is in time
-- index: steadfast_task_due
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
    coalesce(payload_len, length(payload)),
    null
from steadfast_task
where status = 6
and due_at <= ?1
order by due_at, seq
limit ?2
