-- Reads ahead in the claim's order.
-- no row: nothing is ready but suspects
-- index: steadfast_task_ready
-- locks: none; reads one snapshot
select
    kind,
    priority,
    ready_at,
    seq
from steadfast_task
where status = 4
and lost < 2
and bucket = ?1
order by priority, ready_at, seq
limit ?2
