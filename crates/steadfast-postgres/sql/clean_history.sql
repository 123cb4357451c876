-- Removes tasks that ended before a time, and what they are looked up by.
-- no row: never; there is always the count
-- index: history_ended, primary key
-- locks: the rows it removes; skips those that somebody else holds
with old as materialized (
    select id
    from steadfast.history
    where due_at < (select steadfast.clock($1::bigint)) - $2::bigint
    order by due_at
    limit $3::bigint
    for update skip locked
),
gone as (
    delete from steadfast.history
    using old
    where history.id = old.id
    returning history.*
),
forgotten as (
    delete from steadfast.search
    using (
        select term.what, term.term, gone.id
        from gone
        cross join lateral (
            values
            (1::smallint, search1), (2::smallint, search2), (3::smallint, parent::text), (4::smallint, serial),
            (case key_space when 1 then 5::smallint else 6::smallint end, key)
        ) as term (what, term)
        where term.term is not null
    ) as term
    where search.what = term.what
    and search.term = term.term
    and search.id = term.id
)
select count(*)
from gone
