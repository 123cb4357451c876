-- Says when the next waiting task is due.
-- no row: nothing waits
-- index: steadfast_task_due
-- locks: none; reads one snapshot
select
    due_at
from steadfast_task
where status = 1
order by due_at
limit 1
