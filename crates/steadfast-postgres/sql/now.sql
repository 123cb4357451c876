-- Says what time it is.
-- no row: never
-- index: none
-- locks: none
select steadfast.clock($1::bigint)
