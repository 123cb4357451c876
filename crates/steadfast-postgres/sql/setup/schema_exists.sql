-- Says whether the schema has seen any step.
-- no row: it has not
-- index: none
-- locks: none
select 1
where to_regclass('steadfast.schema') is not null
