-- Adds tasks that have nothing to be looked up by, and no label, step or context; says the clock, then the births.
-- no row: never; there is always the clock
-- index: primary key
-- locks: the receipt and the new rows
-- It is add.sql with half of the columns.
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
        id, bucket, kind,
        case when deadline is not null then 5 when due > now then 1 else 4 end,
        priority, due, greatest(due, now), due,
        case when deadline is not null then least(now + deadline, 253402300799999999) end,
        born,
        case when deadline is not null then $3::uuid end,
        born, born, 0, 0, now, now, format, octet_length(payload), payload
    from (
        select
            given.*,
            coalesce(given.at, least(now + given.wait, 253402300799999999)) as due,
            -- A birth is granted once.
            (given.deadline is not null)::integer as born,
            now
        from receipt
        cross join unnest(
            $4::uuid[], $5::text[], $6::text[], $7::smallint[], $8::bigint[], $9::bigint[], $10::bigint[],
            $11::bigint[], $12::bytea[]
        ) with ordinality as given (id, bucket, kind, priority, at, wait, deadline, format, payload, n)
    ) as given
    order by n
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
