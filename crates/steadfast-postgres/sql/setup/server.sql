-- Says what the server is and how it keeps what it promised.
-- no row: never
-- index: none
-- locks: none
select
    current_setting('server_version_num')::integer,
    pg_is_in_recovery(),
    current_setting('fsync'),
    current_setting('full_page_writes'),
    current_setting('synchronous_commit')
