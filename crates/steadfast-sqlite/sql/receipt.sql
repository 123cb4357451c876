-- Writes a receipt: of a batch that is committed with it, or of one that must never be.
-- no row: it was used before
-- index: primary key
-- locks: the file's one write lock
insert into steadfast_receipt (id, created_at, committed)
values (?1, ?2, ?3)
on conflict (id) do nothing
