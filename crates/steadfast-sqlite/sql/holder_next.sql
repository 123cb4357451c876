-- Finds the next worker that holds something, by one seek.
-- no row: no worker after it holds anything
-- index: steadfast_task_running
-- locks: none; reads one snapshot
select worker
from steadfast_task
where status = 5
and worker > ?1
order by worker
limit 1
