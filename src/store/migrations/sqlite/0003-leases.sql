-- compatible
-- Which process may do what only one may do at a time. Instants are milliseconds since the epoch.
CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  until INTEGER NOT NULL
) STRICT;

-- What is due is walked from page to page, and many may be due at the same instant.
DROP INDEX payments_by_read;
CREATE INDEX payments_by_read ON payments (read_due_at, id) WHERE read_due_at IS NOT NULL;

DROP INDEX links_by_read;
CREATE INDEX links_by_read ON links (read_due_at, id) WHERE read_due_at IS NOT NULL;

DROP INDEX agreements_by_read;
CREATE INDEX agreements_by_read ON agreements (read_due_at, id) WHERE read_due_at IS NOT NULL;

-- The doubt of a payment, out of its document, so that the longest doubt is found without reading them all.
ALTER TABLE payments ADD COLUMN provisional INTEGER GENERATED ALWAYS AS (json_extract(state_json, '$.provisional')) VIRTUAL;

CREATE INDEX payments_in_doubt ON payments (updated_at) WHERE provisional = 1;
