-- Locks ended tasks for a change and reads them with the clock; says whether a payload was kept.
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
    null::bigint as deadline_at,
    history."grant",
    null::uuid as worker,
    history.version,
    history.attempt,
    history.failures,
    history.lost,
    history.key_space,
    history.key,
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
    case when history.payload is not null then ''::bytea end as payload,
    steadfast.clock($1::bigint) as now
from unnest($2::uuid[]) as given (id)
join steadfast.history on history.id = given.id
for update of history
