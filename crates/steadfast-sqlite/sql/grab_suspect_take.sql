-- Gives what a grab has just read a new grant; with `or fail` SQLite keeps no undo (17 % cheaper).
-- no row: nothing of the sort is ready
-- index: steadfast_task_suspect
-- locks: the file's one write lock
update or fail steadfast_task
set
    status = 5,
    "grant" = "grant" + 1,
    worker = ?5,
    attempt = attempt + 1,
    deadline_at = ?6,
    version = version + 1,
    changed_at = ?7,
    limited = ?8
where seq in (
    select seq
    from steadfast_task
    where status = 4
    and lost >= 2
    and bucket = ?1
    and kind = ?2
    and priority = ?3
    order by ready_at, seq
    limit ?4
)
