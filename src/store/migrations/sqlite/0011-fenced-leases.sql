-- compatible
-- Rises each time a lease changes hands. A process that does not know it leaves it as it is.
ALTER TABLE leases ADD COLUMN fence INTEGER NOT NULL DEFAULT 0;
