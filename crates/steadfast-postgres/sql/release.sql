-- Lets the first task of each serial key without a head come forward.
-- no row: they have heads, or nobody in line
-- index: task_held, task_head, primary key
-- locks: the rows it moves; a second head is refused by task_head
with clock as materialized (
    select steadfast.clock($1::bigint) as now
),
picked as materialized (
    select first.id
    from unnest($2::text[]) as given (serial)
    cross join lateral (
        select task.id
        from steadfast.task
        where task.status = 2
        and task.serial = given.serial
        order by task.seq
        limit 1
        for update
    ) as first
    where not exists (
        select 1
        from steadfast.task as head
        where head.serial = given.serial
        and head.serial is not null
        and head.status not in (2, 7, 9, 10)
    )
)
update steadfast.task
set
    status = case when task.due_at > clock.now then 1 else 4 end,
    ready_at = greatest(task.due_at, clock.now),
    version = task.version + 1,
    changed_at = clock.now
from picked
cross join clock
where task.id = picked.id
returning
    task.bucket,
    task.kind,
    task.priority,
    task.lost >= 2 as suspect,
    task.due_at,
    clock.now
