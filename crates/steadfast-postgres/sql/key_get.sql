-- Says which tasks keys name. One past its window names nobody, cleaned or not.
-- no row: none of them names any
-- index: primary key
-- locks: none; reads one snapshot
select
    key.space,
    key.name,
    key.id
from unnest($2::smallint[], $3::text[]) as given (space, name)
join steadfast.key on key.space = given.space and key.name = given.name
where key.keep_until is null
or key.keep_until > steadfast.clock($1::bigint)
