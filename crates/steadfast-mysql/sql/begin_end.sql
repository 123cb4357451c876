-- Begins the end of a run in its handler's transaction: whoever waits for the task waits no longer than for ours.
-- no row: never
-- index: none
-- locks: none
set session
    innodb_lock_wait_timeout = 1
    /*M!100300 , idle_transaction_timeout = 2 */
