-- Lists the policies of all kinds.
-- no row: none was declared
-- index: primary key
-- locks: none; reads one snapshot
select
    kind,
    policy::text,
    build,
    worker
from steadfast.kind
order by kind
