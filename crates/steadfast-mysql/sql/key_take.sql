-- Takes keys that are free or past their window. None is named twice.
-- no row: never; ask who has them
-- index: primary key
-- locks: the keys in order, those of others too; waits for whoever adds the same
insert into steadfast_key (space, name, id, keep_until)
values {(?, ?, ?, null)}
on duplicate key update
    id = case when keep_until <= ? then values(id) else id end,
    keep_until = case when id = values(id) then null else keep_until end
