-- Reads ahead in the claim's order; says last what time it is and when the next waiting task is due.
-- no row: never; there is always the clock
-- index: task_ready, task_due
-- locks: none; reads one snapshot
-- What became ready together goes as one row: a row costs more on its way than it takes to count it here.
select
    kind,
    priority,
    ready_at,
    suspect,
    count(*) as n,
    null::bigint as now,
    null::bigint as next_at
from (
    select
        kind,
        priority,
        ready_at,
        lost >= 2 as suspect
    from steadfast.task
    where status = 4
    and bucket = $2::text
    order by priority, ready_at, seq
    limit $3::bigint
) as ready
group by priority, ready_at, kind, suspect
union all
select
    null,
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
