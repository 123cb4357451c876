-- Locks living tasks for a change and reads them.
-- no row: they ended or never were
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
from json_table(?, '$[*]' columns (
    id char(32) path '$'
)) as given
straight_join steadfast_task as task force index (primary)
on task.id = unhex(given.id)
for update
