-- Locks the policies of all kinds and says whether their writers live.
-- no row: none was declared
-- index: primary key
-- locks: all rows, in order of their names
select
    kind,
    build,
    exists (
        select 1
        from steadfast_worker
        where steadfast_worker.id = steadfast_kind.worker
        and steadfast_worker.dead = 0
    ) as lives,
    mark
from steadfast_kind
order by kind
for update
