-- Counts ended tasks by kind and status.
-- no row: there are none
-- index: none; counting reads all rows
-- locks: none; reads one snapshot
select
    history.kind,
    history.status,
    count(*)
from steadfast_history as history
where true
and (? is null or history.status = ?)
and (? is null or history.bucket = ?)
and (? is null or history.kind = ?)
and (? is null or history.key_space = ?)
and (? is null or history.`key` = ?)
and (? is null or history.serial = ?)
and (? is null or history.search1 = ?)
and (? is null or history.search2 = ?)
and (? is null or null = ?)
and (? is null or history.parent = ?)
and (? is null or history.created_at >= ?)
and (? is null or history.created_at < ?)
group by history.kind, history.status
order by history.kind, history.status
