-- Says which task a key names.
-- no row: it is free, or past its window
-- index: primary key
-- locks: none; reads one snapshot
select id
from steadfast_key
where space = ?1
and name = ?2
and (keep_until is null or keep_until > ?3)
