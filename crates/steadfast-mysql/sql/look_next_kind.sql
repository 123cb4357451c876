-- Finds the first kind in a range of names that has anything ready, by one seek.
-- no row: no kind there has any
-- index: task_kind
-- locks: none; reads one snapshot
select kind
from steadfast_task force index (task_kind)
where status = 4
and bucket = ?
and kind >= ?
order by kind
limit 1
