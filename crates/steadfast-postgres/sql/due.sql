-- Makes waiting tasks ready whose time has come.
-- no row: nothing is due
-- index: task_due, primary key
-- locks: the rows it moves; skips those that somebody else is moving
with clock as materialized (
    select steadfast.clock($1::bigint) as now
),
picked as materialized (
    select task.id
    from steadfast.task
    where task.status = 1
    and task.due_at <= (select now from clock)
    order by task.due_at, task.seq
    limit $2::bigint
    for update skip locked
)
update steadfast.task
set
    status = 4,
    ready_at = task.due_at,
    version = task.version + 1,
    changed_at = clock.now
from picked
cross join clock
where task.id = picked.id
returning
    task.bucket,
    task.kind,
    task.priority,
    task.suspect,
    task.due_at
