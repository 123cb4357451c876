-- Reads every page once and names up to five faults.
-- no row: cannot be; `ok` if there is no fault
-- index: none; takes about a second for each GiB
-- locks: none; reads one snapshot
pragma quick_check(5)
