-- Counts living tasks by kind and status.
-- no row: there are none
-- index: none; counting reads all rows
-- locks: none; reads one snapshot
select
    task.kind,
    task.status,
    count(*)
from steadfast.task
where true
and ($1::smallint is null or task.status = $1)
and ($2::text is null or task.bucket = $2)
and ($3::text is null or task.kind = $3)
and ($5::text is null or task.key = $5 and task.key_space = $4::smallint)
and ($6::text is null or task.serial = $6)
and ($7::text is null or task.search1 = $7)
and ($8::text is null or task.search2 = $8)
and ($9::uuid is null or task.worker = $9)
and ($10::uuid is null or task.parent = $10)
and ($11::bigint is null or task.created_at >= $11)
and ($12::bigint is null or task.created_at < $12)
group by task.kind, task.status
order by task.kind, task.status
