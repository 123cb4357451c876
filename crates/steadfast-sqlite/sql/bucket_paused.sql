-- Says whether a bucket is paused.
-- no row: it is not
-- index: primary key
-- locks: none of its own; runs inside the grab
select 1
from steadfast_paused
where bucket = ?1
