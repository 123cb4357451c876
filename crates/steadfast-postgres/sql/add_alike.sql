-- Adds tasks that differ in nothing but their ids and payloads; says the clock.
-- no row: never
-- index: primary key
-- locks: the receipt and the new rows
-- It is add_bare.sql with two arrays to take apart instead of nine, and nothing to say of each row: callers who add at
-- once mostly add the same. One loop over the arrays, so rows are written and numbered in their order.
-- The receipt comes first, and brings the clock: whoever reads the tasks has waited for it.
with receipt as (
    insert into steadfast.receipt (id, created_at, committed)
    values ($2::uuid, steadfast.clock($1::bigint), true)
    returning created_at as now
),
added as (
    insert into steadfast.task (
        id, bucket, kind, status, priority, due_at, ready_at, base_at, "grant", version, attempt, failures, lost,
        created_at, changed_at, format, payload_len, payload
    )
    select
        given.id, $3::text, $4::text, case when due > now then 1 else 4 end, $5::smallint,
        due, greatest(due, now), due, 0, 0, 0, 0, 0, now, now, $8::bigint, octet_length(given.payload), given.payload
    from (
        select
            coalesce($6::bigint, least(now + $7::bigint, 253402300799999999)) as due,
            now
        from receipt
    ) as same
    cross join unnest($9::uuid[], $10::bytea[]) as given (id, payload)
)
select
    null::uuid as id,
    null::bigint as seq,
    now,
    null::tid as place
from receipt
