-- Marks workers whose lease ended as dead, if the one who asks has a lease itself.
-- no row: every lease holds, or the clock jumped past all of them
-- index: none; there are few workers
-- locks: the file's one write lock
update steadfast_worker
set dead = 1
where dead = 0
and lease_until < ?1
and exists (
    select 1
    from steadfast_worker as judge
    where judge.id = ?2
    and judge.dead = 0
    and judge.lease_until >= ?1
)
