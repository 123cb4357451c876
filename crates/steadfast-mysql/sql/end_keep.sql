-- Keeps tasks that became final in the history.
-- no row: never; the rows are locked
-- index: primary key
-- locks: the new rows
insert into steadfast_history (
    seq, id, bucket, kind, subkind, step, status, priority, due_at, ready_at, base_at, `grant`, version, attempt, failures, lost, key_space, `key`, key_window, serial, search1, search2, parent, context, progress, output, errors, created_at, changed_at, format, payload_len, payload
)
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
    task.`grant`,
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
    case when given.whole = 1 then task.payload end
from json_table(?, '$[*]' columns (
    id char(32) path '$[0]',
    whole tinyint path '$[1]'
)) as given
straight_join steadfast_task as task force index (primary)
on task.id = unhex(given.id)
