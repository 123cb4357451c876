-- Removes keys past their window.
-- no row: there are none
-- index: key_ended
-- locks: the rows it removes
delete from steadfast_key
where keep_until <= ?
order by keep_until
limit ?
