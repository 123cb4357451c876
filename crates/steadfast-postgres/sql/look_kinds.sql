-- Reads ahead among the tasks of some kinds, in the order of their grabs; the clock and the next due time last.
-- no row: never; there is always the clock
-- index: task_kind, task_due
-- locks: none; reads one snapshot
select
    ready.kind,
    ready.priority,
    ready.ready_at,
    ready.suspect,
    null::bigint as now,
    null::bigint as next_at
from unnest($3::text[]) as given (kind)
cross join lateral (
    select
        task.kind,
        task.priority,
        task.ready_at,
        task.suspect
    from steadfast.task
    where task.status = 4
    and task.bucket = $2::text
    and task.kind = given.kind
    order by task.priority, task.suspect, task.ready_at, task.seq
    limit $4::bigint
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
