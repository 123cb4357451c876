-- Says how commits are written.
-- no row: cannot be
-- index: none
-- locks: none
pragma journal_mode
