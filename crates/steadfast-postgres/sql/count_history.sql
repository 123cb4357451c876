-- Counts ended tasks by kind and status.
-- no row: there are none
-- index: none; counting reads all rows
-- locks: none; reads one snapshot
select
    history.kind,
    history.status,
    count(*)
from steadfast.history
where true
and ($1::smallint is null or history.status = $1)
and ($2::text is null or history.bucket = $2)
and ($3::text is null or history.kind = $3)
and ($5::text is null or history.key = $5 and history.key_space = $4::smallint)
and ($6::text is null or history.serial = $6)
and ($7::text is null or history.search1 = $7)
and ($8::text is null or history.search2 = $8)
and ($9::uuid is null or false)
and ($10::uuid is null or history.parent = $10)
and ($11::bigint is null or history.created_at >= $11)
and ($12::bigint is null or history.created_at < $12)
group by history.kind, history.status
order by history.kind, history.status
