-- Writes down where a run stands, but for its payload; says the version.
-- no row: the grant is lost
-- index: steadfast_task_id
-- locks: the file's one write lock
update steadfast_task
set
    step = coalesce(?4, step),
    progress = coalesce(?5, progress),
    deadline_at = coalesce(?6, deadline_at),
    failures = iif(?7, 0, failures),
    version = version + ?8,
    changed_at = iif(?8, ?9, changed_at)
where id = ?1
and "grant" = ?2
and worker = ?3
returning version
