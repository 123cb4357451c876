-- Lists ended tasks by one thing that they have, newest first, without payloads.
-- no row: no such task after the cursor
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
    null as payload
from steadfast_search
straight_join steadfast_history as history
on history.id = steadfast_search.id
where steadfast_search.what = ?
and steadfast_search.term = ?
and steadfast_search.id < ?
and (? is null or history.status = ?)
and (? is null or history.bucket = ?)
and (? is null or history.kind = ?)
and (? is null or history.key_space = ?)
and (? is null or history.`key` = ?)
and (? is null or history.serial = ?)
and (? is null or history.search1 = ?)
and (? is null or history.search2 = ?)
and (? is null or null = ?)
and (? is null or history.parent = ?)
and (? is null or history.created_at >= ?)
and (? is null or history.created_at < ?)
order by steadfast_search.id desc
limit ?
