-- Lists all workers.
-- no row: there are none
-- index: primary key
-- locks: none; reads one snapshot
select
    id,
    name,
    build,
    kinds,
    lease_until,
    dead
from steadfast.worker
order by id
