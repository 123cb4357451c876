-- Takes what one demand under no limit asks for, as far as it is there, with its payload unless that is large.
-- no row: nothing is ready, or the bucket is paused
-- index: task_kind
-- locks: the rows it takes; skips those that somebody else is taking
-- It is grab.sql for one demand: no arrays are taken apart, and no row is led through them.
update steadfast.task
set
    status = 5,
    "grant" = task."grant" + 1,
    worker = $2::uuid,
    version = task.version + 1,
    attempt = task.attempt + 1,
    deadline_at = least(clock.now + $8::bigint, 253402300799999999),
    changed_at = clock.now,
    limited = null
from (
    select
        steadfast.clock($1::bigint) as now,
        -- Nobody waits for the disk: the finish does, and what it makes durable the grab is part of.
        case when not $7::boolean then set_config('synchronous_commit', 'off', true) end as off
    offset 0
) as clock
-- Where the rows lie: they are locked, so they stay there, and no index has to be asked for them again. All at once:
-- before each place that came by itself the server would ask its disk how long the table is.
where task.ctid = any(array(
    select ready.ctid
    from steadfast.task as ready
    where ready.status = 4
    and ready.bucket = $3::text
    and ready.kind = $4::text
    -- As in grab.sql: only task_kind has this order, and it begins behind the mark.
    and (ready.priority, ready.lost >= 2, ready.ready_at, ready.seq)
    > ($5::smallint, $6::boolean, $9::bigint, $10::bigint)
    and (ready.priority, ready.lost >= 2) <= ($5::smallint, $6::boolean)
    and not exists (
        select 1
        from steadfast.paused
        where paused.bucket = $3::text
    )
    order by ready.priority, ready.lost >= 2, ready.ready_at, ready.seq
    limit $11::bigint
    for update skip locked
))
returning
    1::bigint as n,
    task.ctid as place,
    task.seq,
    task.id,
    task.ready_at,
    task."grant",
    task.changed_at,
    task.format,
    case when task.payload_len <= 65536 then task.payload end as payload,
    -- All else follows from these at the first run of a task that was ready when it was added and has nothing special.
    -- Of any other it goes as one column.
    case
        when not (
            task.due_at = task.ready_at
            and task.base_at = task.ready_at
            and task.created_at = task.ready_at
            and task.version = task."grant"
            and task.attempt = task."grant"
            and task.failures = 0
            and task.lost = 0
            and task.payload_len <= 65536
            and row(
                task.subkind, task.step, task.key, task.serial, task.search1, task.search2, task.parent, task.context,
                task.progress, task.output, task.errors
            ) is null
        )
            then row(
                task.due_at, task.base_at, task.created_at, task.version, task.attempt, task.failures, task.lost,
                task.payload_len, task.subkind, task.step, task.key_space, task.key, task.serial, task.search1,
                task.search2, task.parent, task.context, task.progress, task.output, task.errors
            )
    end as rare
