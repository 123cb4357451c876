-- Says which task a key names. One past its window names nobody, cleaned or not.
-- no row: it names none
-- index: primary key
-- locks: none; reads one snapshot
select id
from steadfast_key
where space = ?
and name = ?
and (keep_until is null or keep_until > coalesce(?, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))))
