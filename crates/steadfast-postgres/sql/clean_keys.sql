-- Removes keys past their window.
-- no row: never; there is always the count
-- index: key_ended, primary key
-- locks: the rows it removes; skips those that somebody else holds
with old as materialized (
    select
        space,
        name
    from steadfast.key
    where keep_until <= (select steadfast.clock($1::bigint))
    order by keep_until
    limit $2::bigint
    for update skip locked
),
gone as (
    delete from steadfast.key
    using old
    where key.space = old.space
    and key.name = old.name
    returning key.id
)
select count(*)
from gone
