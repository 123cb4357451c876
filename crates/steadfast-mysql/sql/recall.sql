-- Tells workers that runs were taken from them.
-- no row: never; what they know already stays
-- index: primary key
-- locks: the new rows
insert ignore into steadfast_recall (worker, task, `grant`)
values {(?, ?, ?)}
