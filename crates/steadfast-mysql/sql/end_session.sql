-- Ends the session that may still hold the receipt of a lost batch.
-- no row: never; an error means that it ended by itself
-- index: none
-- locks: none
kill ?
