-- Removes workers that have been dead for long and hold nothing.
-- no row: never; there is always the count
-- index: primary key, task_running
-- locks: the rows it removes; skips those that somebody else holds
with old as materialized (
    select worker.id
    from steadfast.worker
    where worker.dead
    and worker.lease_until < (select steadfast.clock($1::bigint)) - $2::bigint
    and not exists (
        select 1
        from steadfast.task
        where task.status = 5
        and task.worker = worker.id
    )
    order by worker.id
    limit $3::bigint
    for update skip locked
),
gone as (
    delete from steadfast.worker
    using old
    where worker.id = old.id
    returning worker.id
)
select count(*)
from gone
