-- Writes the receipt of a batch, or of its settling in its place.
-- no row: never; a duplicate means that it was used before
-- index: primary key
-- locks: the new row; waits for whoever writes the same one
insert into steadfast_receipt (id, created_at, committed)
values (?, ?, ?)
