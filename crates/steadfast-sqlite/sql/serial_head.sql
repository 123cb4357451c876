-- Says whether a serial key has a head.
-- no row: it has none
-- index: steadfast_task_head
-- locks: none; reads one snapshot
select 1
from steadfast_task
where serial = ?1
and status not in (2, 7, 9, 10)
