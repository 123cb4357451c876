-- Brings ended tasks back among the living ones; those of a serial key at the end of the order.
-- no row: never; the rows are locked
-- index: primary key
-- locks: the new rows
insert into steadfast_task (
    seq, id, bucket, kind, subkind, step, status, priority, due_at, ready_at, base_at, `grant`, version, attempt, failures, lost, key_space, `key`, key_window, serial, search1, search2, parent, context, progress, output, errors, created_at, changed_at, format, payload_len, payload
)
select
    case when history.serial is null then history.seq end,
    history.id,
    history.bucket,
    history.kind,
    history.subkind,
    history.step,
    history.status,
    history.priority,
    history.due_at,
    history.ready_at,
    history.base_at,
    history.`grant`,
    history.version,
    history.attempt,
    history.failures,
    history.lost,
    history.key_space,
    history.`key`,
    history.key_window,
    history.serial,
    history.search1,
    history.search2,
    history.parent,
    history.context,
    history.progress,
    history.output,
    history.errors,
    history.created_at,
    history.changed_at,
    history.format,
    history.payload_len,
    coalesce(history.payload, '')
from json_table(?, '$[*]' columns (
    id char(32) path '$'
)) as given
straight_join steadfast_history as history force index (primary)
on history.id = unhex(given.id)
