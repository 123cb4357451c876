-- Removes old receipts.
-- no row: never; there is always the count
-- index: receipt_created, primary key
-- locks: the rows it removes; skips those that somebody else holds
with old as materialized (
    select id
    from steadfast.receipt
    where created_at < (select steadfast.clock($1::bigint)) - $2::bigint
    order by created_at
    limit $3::bigint
    for update skip locked
),
gone as (
    delete from steadfast.receipt
    using old
    where receipt.id = old.id
    returning receipt.id
)
select count(*)
from gone
