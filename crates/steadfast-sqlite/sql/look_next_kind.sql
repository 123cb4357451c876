-- Finds the first kind at or after a name that has anything ready, by one seek.
-- no row: no kind from there on has any
-- index: steadfast_task_kind
-- locks: none; reads one snapshot
select kind
from steadfast_task
where status = 4
and lost < 2
and bucket = ?1
and kind >= ?2
order by kind
limit 1
