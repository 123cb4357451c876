-- Makes a session ready for our statements.
-- no row: never
-- index: none
-- locks: none
set names utf8mb4;
set session transaction isolation level read committed;
set session
    sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
    time_zone = '+00:00',
    autocommit = 1,
    innodb_lock_wait_timeout = 1
    /*M!100300 , idle_transaction_timeout = 2 */
