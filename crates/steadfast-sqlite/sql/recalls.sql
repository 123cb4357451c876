-- Lists the runs that were taken from a worker.
-- no row: nothing was taken
-- index: primary key
-- locks: none; reads one snapshot
select task, "grant"
from steadfast_recall
where worker = ?1
