-- compatible
-- The state of identity checks while somebody follows them, so that one node reads for all. Rows without followers are deleted.
CREATE TABLE identity_watches (
  -- Keyed hash of the site and of the contact's e-mail address, which is stored nowhere.
  key TEXT PRIMARY KEY,
  -- Null until the payments API was read; UNRECOGNISED for a status that is not known.
  status TEXT,
  -- Number of results of identity checks.
  results INTEGER NOT NULL,
  -- Rises with each change; begins with an instant, so that it also rises where a row is made again.
  version BIGINT NOT NULL,
  -- Milliseconds since the epoch, like the two below; null until the payments API was read.
  read_at BIGINT,
  -- When it is to be read. In the future while a node reads it.
  due_at BIGINT NOT NULL,
  -- Milliseconds from one read to the next.
  interval_ms INTEGER NOT NULL,
  -- Until when a node has said that it has followers.
  followed_until BIGINT NOT NULL
);

CREATE INDEX identity_watches_by_end ON identity_watches (followed_until);
