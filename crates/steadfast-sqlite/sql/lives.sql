-- Says whether a worker has a live row.
-- no row: it has none
-- index: primary key
-- locks: none; reads one snapshot
select 1
from steadfast_worker
where id = ?1
and dead = 0
