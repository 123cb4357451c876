-- Reads the task that a holder shows its fence of, without its payload.
-- no row: the grant is lost
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
    coalesce(payload_len, length(payload)),
    null
from steadfast_task
where id = ?1
and "grant" = ?2
and worker = ?3
