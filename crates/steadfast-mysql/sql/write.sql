-- Writes back tasks that were locked in this transaction.
-- no row: never; the rows are locked
-- index: primary key
-- locks: none beyond those it has
update json_table(?, '$[*]' columns (
    id char(32) path '$[0]',
    kind varchar(500) path '$[1]',
    step varchar(500) path '$[2]',
    status bigint path '$[3]',
    priority bigint path '$[4]',
    due_at bigint path '$[5]',
    ready_at bigint path '$[6]',
    base_at bigint path '$[7]',
    deadline_at bigint path '$[8]',
    `grant` bigint path '$[9]',
    worker char(32) path '$[10]',
    version bigint path '$[11]',
    attempt bigint path '$[12]',
    failures bigint path '$[13]',
    lost bigint path '$[14]',
    progress longtext path '$[15]',
    output longtext path '$[16]',
    errors longtext path '$[17]',
    changed_at bigint path '$[18]'
)) as given
straight_join steadfast_task as task force index (primary)
on task.id = unhex(given.id)
set
    task.kind = unhex(given.kind),
    task.step = unhex(given.step),
    task.status = given.status,
    task.priority = given.priority,
    task.due_at = given.due_at,
    task.ready_at = given.ready_at,
    task.base_at = given.base_at,
    task.deadline_at = given.deadline_at,
    task.`grant` = given.`grant`,
    task.worker = unhex(given.worker),
    task.version = given.version,
    task.attempt = given.attempt,
    task.failures = given.failures,
    task.lost = given.lost,
    task.progress = unhex(given.progress),
    task.output = unhex(given.output),
    task.errors = unhex(given.errors),
    task.changed_at = given.changed_at
