-- Locks waiting tasks whose time has come.
-- no row: nothing is due
-- index: task_due
-- locks: the rows it moves; skips those that somebody else is moving
select
    bucket,
    kind,
    priority,
    suspect,
    due_at,
    id
from steadfast_task force index (task_due)
where status = 1
and due_at <= ?
order by due_at, seq
limit ?
for update skip locked
