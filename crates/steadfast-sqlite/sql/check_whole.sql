-- Reads every page once and names up to five faults.
-- no row: cannot be; `ok` if there is no fault
-- index: none; reads the whole file
-- locks: none; reads one snapshot
pragma quick_check(5)
