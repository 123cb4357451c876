-- Says what the server is and how it keeps what it promised.
-- no row: never
-- index: none
-- locks: none
select
    version(),
    @@read_only,
    @@innodb_flush_log_at_trx_commit,
    @@log_bin,
    @@sync_binlog,
    @@max_allowed_packet,
    @@auto_increment_increment
