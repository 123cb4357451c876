-- Counts ended tasks by kind and status.
-- no row: there are none
-- index: none; counting reads all rows
-- locks: none; reads one snapshot
select
    kind,
    status,
    count(*)
from steadfast_history
where (?1 is null or status = ?1)
and (?2 is null or bucket = ?2)
and (?3 is null or kind = ?3)
and (?4 is null or key_space = ?4)
and (?5 is null or key_name = ?5)
and (?6 is null or serial = ?6)
and (?7 is null or search1 = ?7)
and (?8 is null or search2 = ?8)
and ?9 is null
and (?10 is null or parent = ?10)
and (?11 is null or created_at >= ?11)
and (?12 is null or created_at < ?12)
group by kind, status
order by kind, status
