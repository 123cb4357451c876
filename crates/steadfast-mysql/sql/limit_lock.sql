-- Locks limits of the cluster, so that nobody else counts and takes at the same time.
-- no row: a limit is not written down yet
-- index: primary key
-- locks: these limits in order of their names, until the grab is committed
select steadfast_cluster_limit.name
from json_table(?, '$[*]' columns (
    name varchar(4200) path '$'
)) as given
straight_join steadfast_cluster_limit force index (primary)
on steadfast_cluster_limit.name = unhex(given.name)
for update
