-- Adds one task that has nothing to be looked up by, in a transaction that somebody else ends: ready or waiting.
-- no row: never; it says the clock
-- index: none; an insert
-- locks: the new row
-- It is add_alone.sql without births and receipt. A caller's connection remembers no statement of ours: it is planned
-- each time, and a plan for add.sql takes longer than all else that is done for the task.
with clock as materialized (
    select steadfast.clock($1::bigint) as now
)
insert into steadfast.task (
    id, bucket, kind, subkind, step, status, priority, due_at, ready_at, base_at, "grant",
    version, attempt, failures, lost, context, created_at, changed_at, format, payload_len, payload
)
select
    $2::uuid, $3::text, $4::text, $5::text, $6::text,
    case when due > now then 1 else 4 end,
    $7::smallint, due, greatest(due, now), due, 0,
    0, 0, 0, 0, $10::text, now, now, $11::bigint, octet_length($12::bytea), $12::bytea
from (
    select
        coalesce($8::bigint, least(now + $9::bigint, 253402300799999999)) as due,
        now
    from clock
) as given
returning created_at
