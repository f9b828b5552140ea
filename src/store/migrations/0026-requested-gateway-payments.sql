-- compatible
-- What a gateway payment was requested with, as JSON, from the attempt until its outcome is recorded: of a creation without an answer it is all that
-- tells the amount. Null for every other attempt.
ALTER TABLE command_refs ADD COLUMN requested_json TEXT;
