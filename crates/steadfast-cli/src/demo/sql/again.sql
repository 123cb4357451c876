-- Says when tasks that had lost a run ran again, each for the first time, in order.
-- no row: none was lost, or none has run again
-- index: none; reads all rows once
-- locks: none; reads one snapshot
select min(at) as at
from demo_again
group by id
order by at
