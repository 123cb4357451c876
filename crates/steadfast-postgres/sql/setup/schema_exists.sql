-- Says whether the schema has seen any step. It is asked of the catalog's rows and not by name: a name that was
-- looked for in vain is remembered until the transaction ends, whatever others make meanwhile.
-- no row: it has not
-- index: none
-- locks: none
select 1
from pg_catalog.pg_tables
where schemaname || '.' || tablename = 'steadfast.schema'
