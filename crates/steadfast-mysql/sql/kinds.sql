-- Lists the policies of all kinds.
-- no row: none was declared
-- index: primary key
-- locks: none; reads one snapshot
select
    kind,
    policy,
    build,
    worker,
    mark
from steadfast_kind
order by kind
