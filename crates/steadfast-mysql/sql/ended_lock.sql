-- Locks ended tasks for a change and reads them; says whether a payload was kept.
-- no row: they live, were cleaned or never were
-- index: primary key
-- locks: the rows, in the order given
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
    case when history.payload is not null then '' end as payload
from json_table(?, '$[*]' columns (
    id char(32) path '$'
)) as given
straight_join steadfast_history as history force index (primary)
on history.id = unhex(given.id)
for update
