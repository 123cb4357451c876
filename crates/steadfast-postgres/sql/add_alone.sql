-- Adds one task that has nothing to be looked up by: ready or waiting, or as running on the worker that adds it.
-- no row: never; it says its seq and the clock
-- index: primary key
-- locks: the receipt and the new row
with clock as materialized (
    select steadfast.clock($1::bigint) as now
),
receipt as (
    insert into steadfast.receipt (id, created_at, committed)
    select $2::uuid, now, true
    from clock
    where $2::uuid is not null
    returning id
)
insert into steadfast.task (
    id, bucket, kind, subkind, step, status, priority, due_at, ready_at, base_at, deadline_at, "grant", worker,
    version, attempt, failures, lost, context, created_at, changed_at, format, payload_len, payload
)
select
    $4::uuid, $5::text, $6::text, $7::text, $8::text,
    case when $12::bigint is not null then 5 when due > now then 1 else 4 end,
    $9::smallint, due, greatest(due, now), due,
    case when $12::bigint is not null then least(now + $12::bigint, 253402300799999999) end,
    case when $12::bigint is null then 0 else 1 end,
    case when $12::bigint is not null then $3::uuid end,
    case when $12::bigint is null then 0 else 1 end,
    case when $12::bigint is null then 0 else 1 end,
    0, 0, $13::text, now, now, $14::smallint, octet_length($15::bytea), $15::bytea
from (
    select
        coalesce($10::bigint, least(now + $11::bigint, 253402300799999999)) as due,
        now
    from clock
    -- The receipt comes first: whoever reads the task has waited for it.
    cross join (select count(*) from receipt) as receipts
) as given
returning seq, created_at
