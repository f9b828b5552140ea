-- compatible
-- Rises each time a lease changes hands. A process that does not know it leaves it as it is.
ALTER TABLE leases ADD COLUMN fence INTEGER NOT NULL DEFAULT 0;

-- How fast each site of the payments API is read by all processes together. Unused here: the only process keeps it in memory.
CREATE TABLE read_paces (
  site TEXT PRIMARY KEY,
  -- Ten-thousandths of the full rate.
  share INTEGER NOT NULL,
  -- Instants of the last reads, as a JSON array; they may lie ahead.
  slots TEXT NOT NULL,
  halved_at INTEGER NOT NULL,
  closed_until INTEGER NOT NULL
) STRICT;
