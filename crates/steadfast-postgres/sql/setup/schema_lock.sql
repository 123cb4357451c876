-- Lets one program at a time bring the schema forward.
-- no row: never
-- index: none
-- locks: one of this name, until the transaction ends
select pg_advisory_xact_lock(hashtextextended('steadfast.schema', 0))
