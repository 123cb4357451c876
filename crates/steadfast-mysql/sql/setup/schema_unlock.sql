-- Lets others change the schema.
-- no row: never
-- index: none
-- locks: none
select release_lock(md5(concat(database(), '.steadfast_schema')))
