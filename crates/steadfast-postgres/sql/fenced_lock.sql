-- Locks the tasks that these fences hold and reads them with the clock; says whether their worker lives.
-- no row: the grants are lost
-- index: primary key
-- locks: the rows, in the order given
select
    task.seq,
    task.id,
    task.bucket,
    task.kind,
    task.subkind,
    task.step,
    task.status,
    task.priority,
    task.due_at,
    task.ready_at,
    task.base_at,
    task.deadline_at,
    task."grant",
    task.worker,
    task.version,
    task.attempt,
    task.failures,
    task.lost,
    task.key_space,
    task.key,
    task.key_window,
    task.serial,
    task.search1,
    task.search2,
    task.parent,
    task.context,
    task.progress,
    task.output,
    task.errors,
    task.created_at,
    task.changed_at,
    task.format,
    task.payload_len,
    null::bytea as payload,
    steadfast.clock($1::bigint) as now,
    exists (
        select 1
        from steadfast.worker
        where worker.id = task.worker
        and not worker.dead
    ) as lives
from unnest($2::uuid[], $3::bigint[], $4::uuid[]) as given (id, "grant", worker)
join steadfast.task on task.id = given.id and task."grant" = given."grant" and task.worker = given.worker
for update of task
