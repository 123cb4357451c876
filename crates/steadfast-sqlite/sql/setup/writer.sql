-- Sets up the connection that writes. A commit is on the disk when it returns; the log is folded back into the
-- file every 2,000 pages (16 MiB): small enough for the cache of the host, seldom enough to write hot pages once.
-- The cache holds the hot ends of all indexes (64 MiB).
pragma synchronous = full;
pragma wal_autocheckpoint = 2000;
pragma cache_size = -65536;
pragma temp_store = memory;
