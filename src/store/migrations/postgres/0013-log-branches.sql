-- compatible
-- Where the log went on on another server, after a restore or a failover.
CREATE TABLE log_branches (
  number BIGINT PRIMARY KEY,
  -- System identifier and timeline of the server, and id of the database.
  server TEXT NOT NULL,
  -- Position of the last event that the log had when the server was first used: only up to it is the log that of the servers before.
  after_position BIGINT NOT NULL
);
