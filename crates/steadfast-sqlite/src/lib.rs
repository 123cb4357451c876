//! The Steadfast store on an embedded SQLite database.
