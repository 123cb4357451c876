-- Reads ahead among the tasks of one kind, in the order of its grabs.
-- no row: the kind has none
-- index: task_kind
-- locks: none; reads one snapshot
select
    kind,
    priority,
    ready_at,
    suspect
from steadfast_task force index (task_kind)
where status = 4
and bucket = ?
and kind = ?
order by priority, suspect, ready_at, seq
limit ?
