-- Says which tasks keys name, as this transaction left them.
-- no row: none of them names any
-- index: primary key
-- locks: the rows, in the order given
select
    steadfast_key.space,
    steadfast_key.name,
    steadfast_key.id
from json_table(?, '$[*]' columns (
    space tinyint path '$[0]',
    name varchar(500) path '$[1]'
)) as given
straight_join steadfast_key force index (primary)
on steadfast_key.space = given.space
and steadfast_key.name = unhex(given.name)
for update
