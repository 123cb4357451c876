-- Counts what a worker holds as running.
-- no row: cannot be
-- index: steadfast_task_running
-- locks: none; reads one snapshot
select count(*)
from steadfast_task
where status = 5
and worker = ?1
