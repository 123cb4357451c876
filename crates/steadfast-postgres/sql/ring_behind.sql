-- Lets all who listen hear of one task that the statement before it has added; the clock stands between two halves.
-- no row: never
-- index: none
-- locks: the one lock of all notifications; never in a transaction with anything else
-- A hint that a crash takes away is lost anyway: its commit waits for no disk.
select
    set_config('synchronous_commit', 'off', true),
    pg_notify($2::text, $3::text || steadfast.clock($1::bigint) || $4::text)
