-- Says what time it is, who has a lease and who holds running tasks, until when the first of them may run.
-- no row: never; there is always the clock
-- index: task_worker
-- locks: none; reads one snapshot
select
    coalesce(?, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))) as now,
    null as worker,
    null as lease_until,
    null as dead,
    (
        select due_at
        from steadfast_task force index (task_moves)
        where moves_at >= 1000000000000000000
        order by moves_at
        limit 1
    ) as first_at
union all
select
    null,
    id,
    lease_until,
    dead,
    null
from steadfast_worker
union all
select
    null,
    worker,
    null,
    null,
    min(deadline_at)
from steadfast_task force index (task_worker)
where worker is not null
and status = 5
group by worker
