-- Writes down that a step was done.
-- no row: it was written down before
-- index: primary key
-- locks: the new row
insert ignore into steadfast_schema (version)
values (?)
