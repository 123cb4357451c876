-- Reads an ended task with what was kept of its payload.
-- no row: it lives, was cleaned or never was
-- index: primary key
-- locks: none; reads one snapshot
select
    history.seq,
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
    null as deadline_at,
    history.`grant`,
    null as worker,
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
    history.payload as payload
from steadfast_history as history
where history.id = ?
