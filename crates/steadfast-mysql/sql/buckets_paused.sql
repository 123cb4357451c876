-- Lists the paused buckets.
-- no row: none is paused
-- index: primary key
-- locks: none; reads one snapshot
select bucket
from steadfast_paused
order by bucket
