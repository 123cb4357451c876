-- Reads ahead in the claim's order.
-- no row: nothing is ready
-- index: task_ready
-- locks: none; reads one snapshot
select
    kind,
    priority,
    ready_at,
    suspect
from steadfast_task force index (task_ready)
where status = 4
and bucket = ?
order by priority, ready_at, seq
limit ?
