-- breaking
-- Whose idempotency key it is: a key is unique for a caller and a mutation, no longer for a mutation alone. Empty for what was
-- recorded before. The table is written anew, because SQLite cannot drop the constraint of a table.
CREATE TABLE commands_with_scope (
  id TEXT PRIMARY KEY,
  mutation TEXT NOT NULL,
  key TEXT NOT NULL,
  key_scope TEXT NOT NULL DEFAULT '',
  fingerprint TEXT NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  ref TEXT NOT NULL,
  owner TEXT NOT NULL,
  lease_until INTEGER NOT NULL,
  sent_at INTEGER NOT NULL,
  result_json TEXT,
  UNIQUE (mutation, key, key_scope)
) STRICT;

INSERT INTO commands_with_scope
  (id, mutation, key, fingerprint, state, attempt, ref, owner, lease_until, sent_at, result_json)
  SELECT id, mutation, key, fingerprint, state, attempt, ref, owner, lease_until, sent_at, result_json FROM commands;

DROP TABLE commands;

ALTER TABLE commands_with_scope RENAME TO commands;

CREATE INDEX commands_by_lease ON commands (state, lease_until);

CREATE INDEX commands_by_age ON commands (state, sent_at);
