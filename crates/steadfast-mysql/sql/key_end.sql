-- Starts the windows of keys whose tasks ended.
-- no row: the key names another task by now, or was cleaned
-- index: primary key
-- locks: the keys, in the order given
update json_table(?, '$[*]' columns (
    space tinyint path '$[0]',
    name varchar(500) path '$[1]',
    id char(32) path '$[2]',
    keep_until bigint path '$[3]'
)) as given
straight_join steadfast_key force index (primary)
on steadfast_key.space = given.space
and steadfast_key.name = unhex(given.name)
set steadfast_key.keep_until = given.keep_until
where steadfast_key.id = unhex(given.id)
