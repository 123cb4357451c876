-- Locks limits of the cluster, so that nobody else counts and takes at the same time.
-- no row: a limit is not written down yet
-- index: primary key
-- locks: these limits in order of their names, until the grab is committed
select name
from steadfast.cluster_limit
where name = any($1::text[])
order by name
for update
