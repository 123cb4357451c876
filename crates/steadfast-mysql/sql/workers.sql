-- Lists all workers.
-- no row: there are none
-- index: primary key
-- locks: none; reads one snapshot
select
    id,
    name,
    build,
    offer,
    lease_until,
    dead
from steadfast_worker
order by id
