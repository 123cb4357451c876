-- Lists waiting tasks whose time has come.
-- no row: nothing is due
-- index: steadfast_task_due
-- locks: none; reads one snapshot
select
    seq,
    bucket,
    kind,
    priority,
    lost,
    due_at
from steadfast_task
where status = 1
and due_at <= ?1
order by due_at, seq
limit ?2
