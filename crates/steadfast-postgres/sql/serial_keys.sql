-- Lists serial keys after a name with somebody in line, by one seek each.
-- no row: there are none
-- index: task_held
-- locks: none; reads one snapshot
with recursive found as (
    (
        select serial
        from steadfast.task
        where status = 2
        and serial > $1::text
        order by serial
        limit 1
    )
    union all
    select (
        select task.serial
        from steadfast.task
        where task.status = 2
        and task.serial > found.serial
        order by task.serial
        limit 1
    )
    from found
    where found.serial is not null
)
select serial
from found
where serial is not null
limit $2::bigint
