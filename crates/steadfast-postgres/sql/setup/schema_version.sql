-- Says how many steps the schema has seen.
-- no row: the first one is under way
-- index: none
-- locks: none
select version
from steadfast.schema
