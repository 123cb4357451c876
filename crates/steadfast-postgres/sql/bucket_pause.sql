-- Pauses a bucket, or lets it go on.
-- no row: never
-- index: primary key
-- locks: its own row
with gone as (
    delete from steadfast.paused
    where bucket = $1::text
    and not $2::boolean
)
insert into steadfast.paused (bucket)
select $1::text
where $2::boolean
on conflict (bucket) do nothing
