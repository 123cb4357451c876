-- Lets all who listen hear what has gathered.
-- no row: nothing has
-- index: none
-- locks: the one lock of all notifications; never in a transaction with anything else
-- A hint that a crash takes away is lost anyway: its commit waits for no disk.
select
    set_config('synchronous_commit', 'off', true),
    pg_notify($1::text, word)
from unnest($2::text[]) as given (word)
