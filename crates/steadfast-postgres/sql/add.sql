-- Adds tasks: ready, waiting or held, or as running on the worker that adds them; says the clock, then the births.
-- no row: never; there is always the clock
-- index: primary key
-- locks: the receipt and the new rows
with clock as materialized (
    select steadfast.clock($1::bigint) as now
),
receipt as (
    insert into steadfast.receipt (id, created_at, committed)
    select $2::uuid, now, true
    from clock
    where $2::uuid is not null
    returning id
),
-- The receipt comes first: whoever reads the tasks has waited for it.
given as materialized (
    select
        given.*,
        coalesce(given.at, least(now + given.wait, 253402300799999999)) as due,
        now
    from unnest(
        $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::smallint[], $10::bigint[], $11::bigint[],
        $12::bigint[], $13::smallint[], $14::text[], $15::bigint[], $16::text[], $17::text[], $18::text[], $19::uuid[],
        $20::text[], $21::bigint[], $22::bytea[]
    ) with ordinality as given (
        id, bucket, kind, subkind, step, priority, at, wait,
        deadline, key_space, key, key_window, serial, search1, search2, parent,
        context, format, payload, n
    )
    cross join clock
    cross join (select count(*) from receipt) as receipts
),
added as (
    insert into steadfast.task (
        id, bucket, kind, subkind, step, status, priority, due_at, ready_at, base_at, deadline_at, "grant", worker,
        version, attempt, failures, lost, key_space, key, key_window, serial, search1, search2, parent, context,
        created_at, changed_at, format, payload_len, payload
    )
    select
        id, bucket, kind, subkind, step,
        case when deadline is not null then 5 when serial is not null then 2 when due > now then 1 else 4 end,
        priority, due, greatest(due, now), due,
        case when deadline is not null then least(now + deadline, 253402300799999999) end,
        case when deadline is null then 0 else 1 end,
        case when deadline is not null then $3::uuid end,
        case when deadline is null then 0 else 1 end,
        case when deadline is null then 0 else 1 end,
        0, 0, key_space, key, key_window, serial, search1, search2, parent, context,
        now, now, format, octet_length(payload), payload
    from given
    order by n
    returning id, seq, worker, ctid as place
),
found as (
    insert into steadfast.search (what, term, id)
    select term.what, term.term, given.id
    from given
    cross join lateral (
        values
        (1, search1), (2, search2), (3, parent::text), (4, serial),
        (case key_space when 1 then 5 else 6 end, key)
    ) as term (what, term)
    where term.term is not null
    and coalesce(search1, search2, parent::text, serial, key) is not null
    on conflict do nothing
)
select
    null::uuid as id,
    null::bigint as seq,
    now,
    null::tid as place
from clock
union all
select
    id,
    seq,
    null,
    place
from added
where worker is not null
