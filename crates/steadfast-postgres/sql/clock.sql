-- Says what time it is.
-- no row: never
-- index: none
-- locks: none; reads one snapshot
select steadfast.clock($1::bigint) as now
