-- Begins a transaction and says what time it is.
-- no row: never
-- index: none
-- locks: none
start transaction;
select timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
