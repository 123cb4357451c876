-- Finds the next bucket in which anything is ready, by one seek.
-- no row: no bucket after it has anything
-- index: task_ready
-- locks: none; reads one snapshot
select bucket
from steadfast_task force index (task_ready)
where status = 4
and bucket > ?
order by bucket
limit 1
