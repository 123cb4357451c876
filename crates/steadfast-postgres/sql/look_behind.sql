-- Reads ahead among own kinds, of each its share; last come the clock, the next due time, and how far it got.
-- no row: never; there is always the clock
-- index: task_kind, task_due
-- locks: none; reads one snapshot
with own as materialized (
    select found.kind
    from unnest($3::text[], $4::text[]) as range (first, until)
    -- The kinds that have anything ready, by one seek each, range by range.
    cross join lateral (
        with recursive found as (
            (
                select task.kind
                from steadfast.task
                where task.status = 4
                and task.bucket = $2::text
                and task.kind >= range.first
                and task.kind < range.until
                order by task.kind
                limit 1
            )
            union all
            select (
                select task.kind
                from steadfast.task
                where task.status = 4
                and task.bucket = $2::text
                and task.kind > found.kind
                and task.kind < range.until
                order by task.kind
                limit 1
            )
            from found
            where found.kind is not null
        )
        select found.kind
        from found
        where found.kind is not null
    ) as found
    -- One more than are visited, to know whether there are more.
    limit $5::bigint + 1
),
visited as materialized (
    select kind
    from own
    order by kind
    limit $5::bigint
),
open as materialized (
    select kind
    from visited
    where kind <> all($6::text[])
)
select
    ready.kind,
    ready.priority,
    ready.ready_at,
    ready.suspect,
    count(*) as n,
    null::bigint as now,
    null::bigint as next_at,
    null::text as last,
    null::bigint as kinds,
    null::boolean as more
from open
cross join lateral (
    select
        task.kind,
        task.priority,
        task.ready_at,
        task.lost >= 2 as suspect
    from steadfast.task
    where task.status = 4
    and task.bucket = $2::text
    and task.kind = open.kind
    order by task.priority, task.lost >= 2, task.ready_at, task.seq
    limit greatest($7::bigint / (select count(*) from open), 1)
) as ready
group by ready.priority, ready.ready_at, ready.kind, ready.suspect
union all
select
    null,
    null,
    null,
    null,
    null,
    steadfast.clock($1::bigint),
    (
        select due_at
        from steadfast.task
        where status = 1
        order by due_at
        limit 1
    ),
    (select max(kind) from visited),
    (select count(*) from visited),
    (select count(*) from own) > $5::bigint
