-- Says how many bytes the file has, and how many of them are free.
-- no row: cannot be
-- index: none
-- locks: none; reads one snapshot
select page_count * page_size, freelist_count * page_size
from pragma_page_count, pragma_page_size, pragma_freelist_count
