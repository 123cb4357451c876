-- Writes down limits of the cluster, so that they can be locked.
-- no row: they are there
-- index: primary key
-- locks: the rows it makes, in order of their names
insert into steadfast.cluster_limit (name)
select name
from unnest($1::text[]) as given (name)
order by name
on conflict (name) do nothing
