-- Takes what the demands ask for, as far as it is there, with its payload unless that is large.
-- no row: nothing is ready, or the bucket is paused
-- index: task_kind, task_limited
-- locks: the rows it takes; skips those that somebody else is taking
with clock as materialized (
    select
        steadfast.clock($1::bigint) as now,
        -- Nobody waits for the disk: the finish does, and what it makes durable the grab is part of.
        case when not $10::boolean then set_config('synchronous_commit', 'off', true) end
    where not exists (
        select 1
        from steadfast.paused
        where paused.bucket = $3::text
    )
),
-- What the limits of the cluster have room for, by what runs under them, counted up to each one's size; null if there
-- are none. They were locked by a statement before, so that this one's snapshot is younger than the lock.
room as materialized (
    select min(greatest(given.size - running.n, 0)) as n
    from unnest($11::text[], $12::text[], $13::bigint[]) as given (name, until, size)
    cross join lateral (
        select count(*) as n
        from (
            select 1
            from steadfast.task
            where task.status = 5
            and task.limited is not null
            and task.limited >= given.name
            and task.limited < given.until
            limit given.size
        ) as one
    ) as running
),
demand as materialized (
    select
        given.*,
        greatest(least(given.rows, room.n - (sum(given.rows) over (order by given.n) - given.rows)), 0) as share
    from unnest(
        $4::text[], $5::smallint[], $6::boolean[], $7::bigint[], $8::bigint[], $14::bigint[], $15::bigint[]
    ) with ordinality as given (kind, priority, suspect, rows, deadline, after_at, after_seq, n)
    cross join room
),
picked as materialized (
    select
        ready.place,
        demand.n,
        least(now + demand.deadline, 253402300799999999) as deadline_at,
        now
    from demand
    cross join clock
    cross join lateral (
        -- Where the row lies: it is locked, so it stays there, and no index has to be asked for it again.
        select task.ctid as place
        from steadfast.task
        where task.status = 4
        and task.bucket = $3::text
        and task.kind = demand.kind
        -- The same as two equations, but only task_kind has this order. With equations the planner may take
        -- task_ready, which is as good while there is one kind and walks over all others later.
        -- It begins behind the mark: before it lie entries of those that have gone.
        and (task.priority, task.lost >= 2, task.ready_at, task.seq)
        > (demand.priority, demand.suspect, demand.after_at, demand.after_seq)
        and (task.priority, task.lost >= 2) <= (demand.priority, demand.suspect)
        order by task.priority, task.lost >= 2, task.ready_at, task.seq
        limit demand.share
        for update skip locked
    ) as ready
)
update steadfast.task
set
    status = 5,
    "grant" = task."grant" + 1,
    worker = $2::uuid,
    version = task.version + 1,
    attempt = task.attempt + 1,
    deadline_at = picked.deadline_at,
    changed_at = picked.now,
    limited = $9::text
from picked
where task.ctid = picked.place
returning
    picked.n,
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
