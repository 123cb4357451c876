-- Lists what a worker holds as running and must not go on, without payloads.
-- no row: it holds nothing of the sort
-- index: task_worker
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
from steadfast_task as task force index (task_worker)
where task.worker = ?
and task.status = 5
and task.deadline_at <= ?
order by task.deadline_at
limit ?
