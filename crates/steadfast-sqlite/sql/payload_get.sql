-- Reads a payload that is too large for its row.
-- no row: it was not kept
-- index: primary key
-- locks: none; reads one snapshot
select bytes
from steadfast_payload
where id = ?1
