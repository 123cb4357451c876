-- Forgets what tasks were looked up by.
-- no row: it was not there
-- index: primary key
-- locks: the rows, in the order given
delete from steadfast_search
using json_table(?, '$[*]' columns (
    what tinyint path '$[0]',
    term varchar(500) path '$[1]',
    id char(32) path '$[2]'
)) as given
straight_join steadfast_search force index (primary)
on steadfast_search.what = given.what
and steadfast_search.term = unhex(given.term)
and steadfast_search.id = unhex(given.id)
