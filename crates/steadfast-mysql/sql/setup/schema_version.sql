-- Says how many steps the schema has seen.
-- no row: never
-- index: primary key
-- locks: none
select coalesce(max(version), 0)
from steadfast_schema
