-- Finds the next serial key with somebody in line, by one seek.
-- no row: no key after it has any
-- index: task_held
-- locks: none; reads one snapshot
select held
from steadfast_task force index (task_held)
where held > ?
order by held
limit 1
