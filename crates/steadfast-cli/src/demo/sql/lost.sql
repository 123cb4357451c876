-- Says when runs that were lost were ready again, in order.
-- no row: none was lost
-- index: none; reads all rows once
-- locks: none; reads one snapshot
select at
from demo_lost
order by at
