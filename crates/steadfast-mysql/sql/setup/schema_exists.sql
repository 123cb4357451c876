-- Says whether the schema was begun.
-- no row: it was not
-- index: none
-- locks: none
select 1
from information_schema.tables
where table_schema = database()
and table_name = 'steadfast_schema'
