-- Writes back a task that was read in this transaction, but for its payload.
-- no row: cannot be; it was read in this transaction
-- index: rowid
-- locks: the file's one write lock
update steadfast_task
set
    kind = ?2,
    status = ?3,
    priority = ?4,
    due_at = ?5,
    ready_at = ?6,
    base_at = ?7,
    deadline_at = ?8,
    "grant" = ?9,
    worker = ?10,
    version = ?11,
    attempt = ?12,
    failures = ?13,
    lost = ?14,
    changed_at = ?15,
    step = ?16,
    progress = ?17,
    output = ?18,
    errors = ?19
where seq = ?1
