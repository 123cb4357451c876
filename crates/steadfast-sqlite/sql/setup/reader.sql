-- Sets up a connection that only reads, and cannot do otherwise by mistake.
pragma query_only = on;
pragma cache_size = -16384;
pragma temp_store = memory;
