-- Says how many runs were lost, when the last of them was ready again, and when the first one ran again.
-- no row: cannot be
-- index: none; reads all rows once
-- locks: none; reads one snapshot
select
    count(*),
    max(at),
    (select min(at) from demo_again)
from demo_lost
