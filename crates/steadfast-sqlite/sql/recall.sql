-- Recalls a run from its worker.
-- no row: it is recalled already
-- index: primary key
-- locks: the file's one write lock
insert into steadfast_recall (worker, task, "grant")
values (?1, ?2, ?3)
on conflict (worker, task, "grant") do nothing
