-- Finds the first task that a serial key holds back.
-- no row: it holds none
-- index: steadfast_task_held
-- locks: none; reads one snapshot
select
    seq,
    bucket,
    kind,
    priority,
    lost,
    due_at
from steadfast_task
where status = 2
and serial = ?1
order by seq
limit 1
