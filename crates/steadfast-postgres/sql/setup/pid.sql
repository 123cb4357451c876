-- Says which session of the server answers.
-- no row: never
-- index: none
-- locks: none
select pg_backend_pid()
