-- compatible
-- Rises each time a lease changes hands. A process that does not know it leaves it as it is.
ALTER TABLE leases ADD COLUMN fence BIGINT NOT NULL DEFAULT 0;

-- How fast each site of the payments API is read by all nodes together. Instants are milliseconds since the epoch by this server's clock.
CREATE TABLE read_paces (
  site TEXT PRIMARY KEY,
  -- Ten-thousandths of the full rate.
  share BIGINT NOT NULL,
  -- Instants of the last reads, as a JSON array; they may lie ahead.
  slots TEXT NOT NULL,
  halved_at BIGINT NOT NULL,
  closed_until BIGINT NOT NULL
);
