-- Reads ahead in the claim's order; says last what time it is and when the next waiting task is due.
-- no row: never; there is always the clock
-- index: task_ready, task_due
-- locks: none; reads one snapshot
select
    kind,
    priority,
    ready_at,
    suspect,
    null::bigint as now,
    null::bigint as next_at
from (
    select
        kind,
        priority,
        ready_at,
        suspect
    from steadfast.task
    where status = 4
    and bucket = $2::text
    order by priority, ready_at, seq
    limit $3::bigint
) as ready
union all
select
    null,
    null,
    null,
    null,
    steadfast.clock($1::bigint),
    (
        select due_at
        from steadfast.task
        where status = 1
        order by due_at
        limit 1
    )
