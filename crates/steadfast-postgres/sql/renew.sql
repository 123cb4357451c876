-- Renews a lease, forgets recalls that were dealt with, says what else was recalled and how much is running.
-- no row: the worker is dead, or was never registered
-- index: primary key, task_running
-- locks: its own row and its handled recalls
with clock as materialized (
    select steadfast.clock($1::bigint) as now
),
alive as (
    update steadfast.worker
    set lease_until = least(clock.now + $3::bigint, 253402300799999999)
    from clock
    where worker.id = $2::uuid
    and not worker.dead
    returning worker.id
),
handled as (
    delete from steadfast.recall
    using unnest($4::uuid[], $5::bigint[]) as given (task, "grant"), alive
    where recall.worker = alive.id
    and recall.task = given.task
    and recall."grant" = given."grant"
    returning recall.task, recall."grant"
)
select
    clock.now,
    (
        select count(*)
        from steadfast.task
        where status = 5
        and worker = $2::uuid
    ) as running,
    recall.task,
    recall."grant"
from alive
cross join clock
left join steadfast.recall
on recall.worker = $2::uuid
and not exists (
    select 1
    from handled
    where handled.task = recall.task
    and handled."grant" = recall."grant"
)
