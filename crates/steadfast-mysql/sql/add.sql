-- Adds tasks as they are given.
-- no row: never; says the first seq by the last insert id
-- index: primary key
-- locks: the new rows
insert into steadfast_task (
    id, bucket, kind, subkind, step, status, priority, due_at, ready_at, base_at, deadline_at, `grant`, worker, version, attempt, failures,
    lost, key_space, `key`, key_window, serial, search1, search2, parent, context, progress, output, errors, created_at, changed_at, format, payload_len, payload
)
values {(
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
)}
