-- compatible
-- Where the log went on on another server of PostgreSQL, after a restore or a failover. A SQLite file has none: its backup is another log.
CREATE TABLE log_branches (
  number INTEGER PRIMARY KEY,
  -- System identifier and timeline of the server, and id of the database.
  server TEXT NOT NULL,
  -- Position of the last event that the log had when the server was first used: only up to it is the log that of the servers before.
  after_position INTEGER NOT NULL
) STRICT;
