-- Takes the first tasks of one demand, with their payloads unless those are large.
-- no row: nothing is ready, or the bucket is paused
-- index: task_kind
-- locks: the rows it takes; skips those that somebody else is taking
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
    case when task.payload_len <= 65536 then task.payload end as payload
from steadfast_task as task force index (task_kind)
where task.status = 4
and task.bucket = ?
and task.kind = ?
and task.priority = ?
and task.suspect = ?
and not exists (
    select 1
    from steadfast_paused
    where steadfast_paused.bucket = ?
)
order by task.ready_at, task.seq
limit ?
for update skip locked
