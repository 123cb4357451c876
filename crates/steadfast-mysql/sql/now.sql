-- Says what time it is.
-- no row: never
-- index: none
-- locks: none
select coalesce(?, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)))
