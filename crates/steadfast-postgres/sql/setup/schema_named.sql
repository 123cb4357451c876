-- Says whether a name can stand without quotes.
-- no row: it cannot
-- index: none
-- locks: none
select 1
where quote_ident($1::text) = $1::text
