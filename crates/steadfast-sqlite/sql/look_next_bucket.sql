-- Finds the next bucket after one that has anything ready but suspects, by one seek.
-- no row: no bucket after it has any
-- index: steadfast_task_ready
-- locks: none; reads one snapshot
select bucket
from steadfast_task
where status = 4
and lost < 2
and bucket > ?1
order by bucket, priority, ready_at
limit 1
