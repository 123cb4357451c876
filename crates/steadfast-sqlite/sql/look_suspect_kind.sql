-- Reads ahead among the suspects of one kind, in the order of its grabs.
-- no row: the kind has none
-- index: steadfast_task_suspect
-- locks: none; reads one snapshot
select
    priority,
    ready_at
from steadfast_task
where status = 4
and lost >= 2
and bucket = ?1
and kind = ?2
order by priority, ready_at, seq
limit ?3
