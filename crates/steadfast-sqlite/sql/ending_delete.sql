-- Removes rows that were found in this transaction, many at once: a statement opens every index.
-- no row: cannot be; they were found in this transaction
-- index: rowid
-- locks: the file's one write lock
delete from steadfast_task
where seq in (
    ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
    ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32
)
