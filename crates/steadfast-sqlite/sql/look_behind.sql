-- Finds the head of the next kind after one, by one seek.
-- no row: no kind after it has anything ready
-- index: steadfast_task_kind
-- locks: none; reads one snapshot
select
    kind,
    priority,
    ready_at
from steadfast_task
where status = 4
and lost < 2
and bucket = ?1
and kind > ?2
order by kind, priority, ready_at, seq
limit 1
