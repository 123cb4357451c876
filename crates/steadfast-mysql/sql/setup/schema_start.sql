-- Makes the table that says how far the schema is.
-- no row: never
-- index: none
-- locks: none
create table if not exists steadfast_schema (
    version int not null primary key
) engine = InnoDB row_format = dynamic default character set = utf8mb4
