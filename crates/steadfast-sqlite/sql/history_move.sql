-- Copies a task whose row was written back for the last time to the history, whole.
-- no row: cannot be; it was read in this transaction
-- index: rowid
-- locks: the file's one write lock
insert into steadfast_history (
    id,
    seq,
    status,
    bucket,
    kind,
    priority,
    ready_at,
    due_at,
    "grant",
    version,
    attempt,
    failures,
    lost,
    changed_at,
    base_at,
    created_at,
    step,
    serial,
    progress,
    output,
    errors,
    extra,
    format,
    payload_len,
    payload
)
select
    id,
    seq,
    status,
    bucket,
    kind,
    priority,
    ready_at,
    due_at,
    "grant",
    version,
    attempt,
    failures,
    lost,
    changed_at,
    base_at,
    created_at,
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
where seq = ?1
