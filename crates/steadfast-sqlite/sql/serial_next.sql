-- Finds the next serial key that holds tasks back, by one seek.
-- no row: no key after it does
-- index: steadfast_task_held
-- locks: none; reads one snapshot
select serial
from steadfast_task
where status = 2
and serial > ?1
order by serial
limit 1
