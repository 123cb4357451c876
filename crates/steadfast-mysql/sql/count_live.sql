-- Counts living tasks by kind and status.
-- no row: there are none
-- index: none; counting reads all rows
-- locks: none; reads one snapshot
select
    task.kind,
    task.status,
    count(*)
from steadfast_task as task
where true
and (? is null or task.status = ?)
and (? is null or task.bucket = ?)
and (? is null or task.kind = ?)
and (? is null or task.key_space = ?)
and (? is null or task.`key` = ?)
and (? is null or task.serial = ?)
and (? is null or task.search1 = ?)
and (? is null or task.search2 = ?)
and (? is null or task.worker = ?)
and (? is null or task.parent = ?)
and (? is null or task.created_at >= ?)
and (? is null or task.created_at < ?)
group by task.kind, task.status
order by task.kind, task.status
