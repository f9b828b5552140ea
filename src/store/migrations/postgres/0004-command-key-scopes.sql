-- breaking
-- Whose idempotency key it is: a key is unique for a caller and a mutation, no longer for a mutation alone. Empty for what was
-- recorded before, and for what a node of an earlier version still records.
ALTER TABLE commands ADD COLUMN key_scope TEXT NOT NULL DEFAULT '';

ALTER TABLE commands ADD CONSTRAINT commands_key UNIQUE (mutation, key, key_scope);

ALTER TABLE commands DROP CONSTRAINT commands_mutation_key_key;
