-- Lets one program at a time change the schema.
-- no row: never; 0 means that another one is at it for long
-- index: none
-- locks: the name, until it is given back or the session ends
select get_lock(md5(concat(database(), '.steadfast_schema')), 60)
