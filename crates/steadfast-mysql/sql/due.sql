-- Locks waiting tasks whose time has come.
-- no row: nothing is due
-- index: task_moves
-- locks: the rows it moves; skips those that somebody else is moving
select
    bucket,
    kind,
    priority,
    suspect,
    due_at,
    id
from steadfast_task force index (task_moves)
where moves_at <= ?
order by moves_at, seq
limit ?
for update skip locked
