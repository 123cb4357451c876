-- Adds one task that has nothing to be looked up by: ready or waiting, or as running on the worker that adds it.
-- no row: never; it says its seq and the clock
-- index: primary key
-- locks: the receipt and the new row
-- The receipt comes first, and brings the clock: whoever reads the task has waited for it.
with receipt as (
    insert into steadfast.receipt (id, created_at, committed)
    values ($2::uuid, steadfast.clock($1::bigint), true)
    returning created_at as now
)
insert into steadfast.task (
    id, bucket, kind, subkind, step, status, priority, due_at, ready_at, base_at, deadline_at, "grant", worker,
    version, attempt, failures, lost, context, created_at, changed_at, format, payload_len, payload
)
select
    $5::uuid, $6::text, $7::text, $8::text, $9::text,
    case when $3::uuid is not null then 5 when due > now then 1 else 4 end,
    $10::smallint, due, greatest(due, now), due,
    case when $3::uuid is not null then least(now + $4::bigint, 253402300799999999) end,
    $13::bigint, $3::uuid, $13::bigint, $13::integer,
    0, 0, $14::text, now, now, $15::bigint, octet_length($16::bytea), $16::bytea
from (
    select
        coalesce($11::bigint, least(now + $12::bigint, 253402300799999999)) as due,
        now
    from receipt
) as given
returning seq, created_at, ctid
