-- Adds tasks that differ in nothing but their ids and payloads; says the clock, then the births.
-- no row: never; there is always the clock
-- index: primary key
-- locks: the receipt and the new rows
-- It is add_bare.sql with two arrays to take apart instead of nine: callers who add at once mostly add the same.
-- The receipt comes first, and brings the clock: whoever reads the tasks has waited for it.
with receipt as (
    insert into steadfast.receipt (id, created_at, committed)
    values ($2::uuid, steadfast.clock($1::bigint), true)
    returning created_at as now
),
added as (
    insert into steadfast.task (
        id, bucket, kind, status, priority, due_at, ready_at, base_at, deadline_at, "grant", worker,
        version, attempt, failures, lost, created_at, changed_at, format, payload_len, payload
    )
    select
        given.id, $4::text, $5::text,
        case when $3::uuid is not null then 5 when due > now then 1 else 4 end,
        $6::smallint, due, greatest(due, now), due,
        case when $3::uuid is not null then least(now + $9::bigint, 253402300799999999) end,
        $10::bigint, $3::uuid, $10::bigint, $10::integer,
        0, 0, now, now, $11::bigint, octet_length(given.payload), given.payload
    from (
        select
            coalesce($7::bigint, least(now + $8::bigint, 253402300799999999)) as due,
            now
        from receipt
    ) as same
    cross join unnest($12::uuid[], $13::bytea[]) with ordinality as given (id, payload, n)
    order by given.n
    returning id, seq, worker, ctid as place
)
select
    null::uuid as id,
    null::bigint as seq,
    now,
    null::tid as place
from receipt
union all
select
    id,
    seq,
    null,
    place
from added
where worker is not null
