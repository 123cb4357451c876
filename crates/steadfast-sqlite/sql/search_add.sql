-- Makes a task to be found by something that it has.
-- no row: it is already
-- index: primary key
-- locks: the file's one write lock
insert into steadfast_search (what, term, id)
values (?1, ?2, ?3)
on conflict (what, term, id) do nothing
