-- Lists tasks that ended before a time.
-- no row: none is that old
-- index: steadfast_history_ended
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
    coalesce(payload_len, length(payload)),
    null
from steadfast_history
where due_at < ?1
order by due_at
limit ?2
