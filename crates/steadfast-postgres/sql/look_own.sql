-- Lists kinds of these ranges that have anything ready, by one seek each, range by range.
-- no row: none of them has any
-- index: task_kind
-- locks: none; reads one snapshot
select own.kind
from unnest($2::text[], $3::text[]) as range (first, until)
cross join lateral (
    with recursive found as (
        (
            select task.kind
            from steadfast.task
            where task.status = 4
            and task.bucket = $1::text
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
            and task.bucket = $1::text
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
) as own
limit $4::bigint
