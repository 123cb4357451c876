-- Lists living tasks, newest first, without payloads.
-- no row: no such task after the cursor
-- index: primary key
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
    task."grant",
    task.worker,
    task.version,
    task.attempt,
    task.failures,
    task.lost,
    task.key_space,
    task.key,
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
    null::bytea as payload
from steadfast.task
where task.id < coalesce($1::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
and ($3::smallint is null or task.status = $3)
and ($4::text is null or task.bucket = $4)
and ($5::text is null or task.kind = $5)
and ($7::text is null or task.key = $7 and task.key_space = $6::smallint)
and ($8::text is null or task.serial = $8)
and ($9::text is null or task.search1 = $9)
and ($10::text is null or task.search2 = $10)
and ($11::uuid is null or task.worker = $11)
and ($12::uuid is null or task.parent = $12)
and ($13::bigint is null or task.created_at >= $13)
and ($14::bigint is null or task.created_at < $14)
order by task.id desc
limit $2::bigint
