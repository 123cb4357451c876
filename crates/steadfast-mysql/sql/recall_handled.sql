-- Forgets recalls that were dealt with.
-- no row: they were forgotten before
-- index: primary key
-- locks: the rows, in the order given
delete from steadfast_recall
using json_table(?, '$[*]' columns (
    task char(32) path '$[0]',
    `grant` bigint path '$[1]'
)) as given
straight_join steadfast_recall force index (primary)
on steadfast_recall.worker = ?
and steadfast_recall.task = unhex(given.task)
and steadfast_recall.`grant` = given.`grant`
