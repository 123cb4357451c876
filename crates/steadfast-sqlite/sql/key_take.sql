-- Takes a key that is free, past its window, or the task's own.
-- no row: it belongs to another task
-- index: primary key
-- locks: the file's one write lock
insert into steadfast_key (space, name, id, keep_until)
values (?1, ?2, ?3, null)
on conflict (space, name) do update
set
    id = excluded.id,
    keep_until = null
where keep_until <= ?4
or id = excluded.id
