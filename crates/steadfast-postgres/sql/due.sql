-- Makes waiting tasks ready whose time has come, or grants them; says last the clock, the next time, how many it found.
-- no row: never; there is always the clock
-- index: task_due
-- locks: the rows it moves; skips those that somebody else is moving
with clock as materialized (
    select
        steadfast.clock($1::bigint) as now,
        -- Nobody waits for the disk: what a crash takes away comes due again.
        case when not $12::boolean then set_config('synchronous_commit', 'off', true) end
),
demand as materialized (
    select given.*
    from unnest($7::text[], $8::smallint[], $9::boolean[], $10::bigint[], $11::bigint[])
    with ordinality as given (kind, priority, suspect, rows, deadline, n)
    where not exists (
        select 1
        from steadfast.paused
        where paused.bucket = $6::text
    )
),
picked as materialized (
    select
        -- Where the row lies: it is locked, so it stays there, and no index has to be asked for it again.
        task.ctid as place,
        task.bucket,
        task.kind,
        task.priority,
        task.lost >= 2 as suspect,
        task.due_at,
        task.seq
    from steadfast.task
    where task.status = 1
    -- It begins behind the mark: before it lie entries of those that were moved.
    and (task.due_at, task.seq) > ($3::bigint, $4::bigint)
    and task.due_at <= (select now from clock)
    order by task.due_at, task.seq
    limit $2::bigint
    for update skip locked
),
-- Each with the worker's demand that asks for it, if there is one: the others are ready then, for anybody.
lined as materialized (
    select
        counted.place,
        counted.bucket,
        counted.priority,
        demand.n,
        demand.deadline
    from (
        select
            picked.*,
            row_number() over (partition by bucket, kind, priority, suspect order by due_at, seq) as rank
        from picked
    ) as counted
    left join demand
        on counted.bucket = $6::text
        and demand.kind = counted.kind
        and demand.priority = counted.priority
        and demand.suspect = counted.suspect
        and demand.rows >= counted.rank
),
-- None is granted while a more urgent one is left.
fit as materialized (
    select
        lined.place,
        case when lined.priority <= (
            select coalesce(min(rest.priority), 9)
            from lined as rest
            where rest.n is null
            and rest.bucket = $6::text
        ) then lined.n end as n,
        lined.deadline
    from lined
),
moved as (
    update steadfast.task
    set
        status = case when fit.n is null then 4 else 5 end,
        ready_at = task.due_at,
        "grant" = task."grant" + (fit.n is not null)::int,
        worker = case when fit.n is null then task.worker else $5::uuid end,
        version = task.version + 1,
        attempt = task.attempt + (fit.n is not null)::int,
        deadline_at = case
            when fit.n is null then task.deadline_at
            else least(clock.now + fit.deadline, 253402300799999999)
        end,
        changed_at = clock.now,
        limited = case when fit.n is null then task.limited end
    from fit
    cross join clock
    where task.ctid = fit.place
    returning
        fit.n,
        task.ctid as place,
        task.*
)
select
    n,
    place,
    seq,
    case when n is not null then id end as id,
    ready_at,
    "grant",
    changed_at,
    format,
    case when n is not null and payload_len <= 65536 then payload end as payload,
    -- All that a grab of its like would send.
    case
        when n is not null
            then row(
                due_at, base_at, created_at, version, attempt, failures, lost, payload_len, subkind, step, key_space,
                key, serial, search1, search2, parent, context, progress, output, errors
            )
    end as rare,
    -- What is ready is told by these.
    case when n is null then bucket end as bucket,
    case when n is null then kind end as kind,
    priority,
    lost >= 2 as suspect,
    due_at,
    null::bigint as now,
    null::bigint as next_at,
    null::bigint as found
from moved
union all
select
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    null,
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
    (select count(*) from picked)
from clock
