//! A durable task engine: tasks survive crashes, run once, on an embedded or a shared database.
