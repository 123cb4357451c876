-- Counts what runs under a limit of the cluster and all below it, up to the limit's own size.
-- no row: cannot be
-- index: steadfast_task_limited
-- locks: none of its own; runs inside the grab
select count(*)
from (
    select 1
    from steadfast_task
    where status = 5
    and limited is not null
    and limited >= ?1
    and limited < ?2
    limit ?3
)
