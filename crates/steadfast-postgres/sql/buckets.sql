-- Lists the buckets in which anything is ready, by one seek each.
-- no row: nothing is ready
-- index: task_ready or task_kind
-- locks: none; reads one snapshot
with recursive found as (
    (
        select bucket
        from steadfast.task
        where status = 4
        order by bucket
        limit 1
    )
    union all
    select (
        select task.bucket
        from steadfast.task
        where task.status = 4
        and task.bucket > found.bucket
        order by task.bucket
        limit 1
    )
    from found
    where found.bucket is not null
)
select bucket
from found
where bucket is not null
limit $1::bigint
