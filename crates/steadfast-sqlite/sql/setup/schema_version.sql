-- Says how many steps the schema has seen.
-- no row: none
-- index: none
-- locks: none; reads one snapshot
select version
from steadfast_schema
