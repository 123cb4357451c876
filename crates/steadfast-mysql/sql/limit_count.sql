-- Counts what runs under a limit of the cluster, up to its size.
-- no row: never
-- index: task_counted
-- locks: none; reads one snapshot
select count(*)
from (
    select 1
    from steadfast_task
    where counted >= ?
    and counted < ?
    limit ?
) as running
