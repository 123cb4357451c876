-- Finds the head of the next kind with suspects after one, by one seek.
-- no row: no kind after it has any
-- index: steadfast_task_suspect
-- locks: none; reads one snapshot
select
    kind,
    priority,
    ready_at
from steadfast_task
where status = 4
and lost >= 2
and bucket = ?1
and kind > ?2
order by kind, priority, ready_at, seq
limit 1
