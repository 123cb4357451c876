-- Makes the schema itself. Its name stands alone here, without the point by which other texts are filled.
-- no row: always
-- index: none
-- locks: the new schema
create schema if not exists steadfast
