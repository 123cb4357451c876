-- Copies an ended task back to the living ones, at the end of the order.
-- no row: cannot be; it was read in this transaction
-- index: primary key of steadfast_history
-- locks: the file's one write lock
insert into steadfast_task (
    id,
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
from steadfast_history
where id = ?1
