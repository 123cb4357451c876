-- Locks the first in line of serial keys without a head.
-- no row: they have heads, or nobody in line
-- index: task_held, task_head, primary key
-- locks: the rows by their ids alone; skips those that others let come forward now; task_head refuses a second head
select
    task.bucket,
    task.kind,
    task.priority,
    task.suspect,
    task.due_at,
    task.id
from (
    select
        (
            select line.id
            from steadfast_task as line force index (task_held)
            where line.held = unhex(given.serial)
            order by line.held, line.seq
            limit 1
        ) as id
    from json_table(?, '$[*]' columns (
        serial varchar(500) path '$'
    )) as given
    where not exists (
        select 1
        from steadfast_task as other
        where other.head = unhex(given.serial)
    )
) as first
straight_join steadfast_task as task force index (primary)
on task.id = first.id
where task.status = 2
for update skip locked
