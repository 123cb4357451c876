-- Says for how many seconds the server has been running.
-- no row: never
-- index: none
-- locks: none
show global status like 'Uptime'
