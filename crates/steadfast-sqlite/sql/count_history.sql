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
and (?5 is null or exists (
    select 1
    from steadfast_search as other
    where other.what = ?4
    and other.term = ?5
    and other.id = steadfast_history.id
))
and (?6 is null or serial = ?6)
and (?7 is null or exists (
    select 1
    from steadfast_search as other
    where other.what = 1
    and other.term = ?7
    and other.id = steadfast_history.id
))
and (?8 is null or exists (
    select 1
    from steadfast_search as other
    where other.what = 2
    and other.term = ?8
    and other.id = steadfast_history.id
))
and ?9 is null
and (?10 is null or exists (
    select 1
    from steadfast_search as other
    where other.what = 3
    and other.term = ?10
    and other.id = steadfast_history.id
))
and (?11 is null or created_at >= ?11)
and (?12 is null or created_at < ?12)
group by kind, status
order by kind, status
