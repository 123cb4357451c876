-- Lists ended tasks, newest first, without payloads.
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
    null::bytea as payload
from steadfast.history
where history.id < coalesce($1::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
and ($3::smallint is null or history.status = $3)
and ($4::text is null or history.bucket = $4)
and ($5::text is null or history.kind = $5)
and ($7::text is null or history.key = $7 and history.key_space = $6::smallint)
and ($8::text is null or history.serial = $8)
and ($9::text is null or history.search1 = $9)
and ($10::text is null or history.search2 = $10)
and ($11::uuid is null or false)
and ($12::uuid is null or history.parent = $12)
and ($13::bigint is null or history.created_at >= $13)
and ($14::bigint is null or history.created_at < $14)
order by history.id desc
limit $2::bigint
