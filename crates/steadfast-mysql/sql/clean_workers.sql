-- Removes workers that have been dead for long and hold nothing.
-- no row: there are none
-- index: primary key, task_worker
-- locks: the rows it removes
delete from steadfast_worker
where dead = 1
and lease_until < ?
and not exists (
    select 1
    from steadfast_task as task force index (task_worker)
    where task.worker = steadfast_worker.id
    and task.status = 5
)
limit ?
