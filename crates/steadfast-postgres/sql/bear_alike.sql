-- Adds tasks that differ in nothing but their ids and payloads as running on the worker that adds them.
-- no row: never; it says the clock with each
-- index: primary key, task_running
-- locks: the receipt and the new rows
-- It is add_alike.sql for births: all of their times are the clock's. One loop over the arrays, so rows are written and
-- numbered in their order.
with receipt as (
    insert into steadfast.receipt (id, created_at, committed)
    values ($2::uuid, steadfast.clock($1::bigint), true)
    returning created_at as now
)
insert into steadfast.task (
    id, bucket, kind, status, priority, due_at, ready_at, base_at, deadline_at, "grant", worker, version, attempt,
    failures, lost, created_at, changed_at, format, payload_len, payload
)
select
    given.id, $3::text, $4::text, 5, $5::smallint, now, now, now, least(now + $7::bigint, 253402300799999999),
    1, $6::uuid, 1, 1, 0, 0, now, now, $8::bigint, octet_length(given.payload), given.payload
from receipt
cross join unnest($9::uuid[], $10::bytea[]) as given (id, payload)
returning id, seq, created_at, ctid
