-- Says whether the file has a schema of ours.
-- no row: it has none
-- index: none
-- locks: none; reads one snapshot
select 1
from sqlite_schema
where type = 'table'
and name = 'steadfast_schema'
