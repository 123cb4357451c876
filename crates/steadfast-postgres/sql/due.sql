-- Makes waiting tasks ready whose time has come; says last the clock, when the next one is due, and how many it found.
-- no row: never; there is always the clock
-- index: task_due
-- locks: the rows it moves; skips those that somebody else is moving
with clock as materialized (
    select
        steadfast.clock($1::bigint) as now,
        -- Nobody waits for the disk: what a crash takes away comes due again.
        set_config('synchronous_commit', 'off', true)
),
picked as materialized (
    -- Where the row lies: it is locked, so it stays there, and no index has to be asked for it again.
    select task.ctid as place
    from steadfast.task
    where task.status = 1
    -- It begins behind the mark: before it lie entries of those that were moved.
    and (task.due_at, task.seq) > ($3::bigint, $4::bigint)
    and task.due_at <= (select now from clock)
    order by task.due_at, task.seq
    limit $2::bigint
    for update skip locked
),
moved as (
    update steadfast.task
    set
        status = 4,
        ready_at = task.due_at,
        version = task.version + 1,
        changed_at = clock.now
    from picked
    cross join clock
    where task.ctid = picked.place
    returning
        task.bucket,
        task.kind,
        task.priority,
        task.suspect,
        task.due_at,
        task.seq
)
select
    bucket,
    kind,
    priority,
    suspect,
    due_at,
    null::bigint as now,
    null::bigint as next_at,
    null::bigint as found,
    seq
from moved
union all
select
    null,
    null,
    null,
    null,
    null,
    now,
    -- From now on: before it lies what was moved a moment ago and is still in the index.
    (
        select due_at
        from steadfast.task
        where status = 1
        and due_at > now
        order by due_at
        limit 1
    ),
    -- One that somebody has written again since this began is found and not moved.
    (select count(*) from picked),
    null
from clock
