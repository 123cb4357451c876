-- Lists tasks that need a person, newest first, without payloads.
-- no row: no such task after the cursor
-- index: task_ready
-- locks: none; reads one snapshot
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
    task.`grant`,
    task.worker,
    task.version,
    task.attempt,
    task.failures,
    task.lost,
    task.key_space,
    task.`key`,
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
    null as payload
from steadfast_task as task force index (task_ready)
where task.status = 8
and task.id < ?
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
order by task.id desc
limit ?
