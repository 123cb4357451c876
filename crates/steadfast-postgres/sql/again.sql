-- Brings ended tasks back among the living ones; those of a serial key at the end of the order.
-- no row: never; the rows are locked
-- index: primary key
-- locks: the rows in the order given
with back as (
    delete from steadfast.history
    using unnest($1::uuid[]) as given (id)
    where history.id = given.id
    returning history.*
)
insert into steadfast.task (
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
    "grant",
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
)
select
    case when serial is null then seq else nextval(pg_get_serial_sequence('steadfast.task', 'seq')) end,
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
    "grant",
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
    coalesce(payload, '')
from back
