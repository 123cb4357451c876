-- Lists what may only be run alone, in the claim's order. They are few: a sort is cheap.
-- no row: there are no suspects
-- index: steadfast_task_suspect
-- locks: none; reads one snapshot
select
    kind,
    priority,
    ready_at,
    seq
from steadfast_task
where status = 4
and lost >= 2
and bucket = ?1
order by priority, ready_at, seq
limit ?2
