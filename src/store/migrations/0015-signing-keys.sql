-- compatible
-- When each signing key was in use, by which it is known what still depends on it. The keys themselves are not stored.
CREATE TABLE signing_keys (
  -- The setting that lists it: CALLBACK_KEYS or SIGNING_KEYS.
  setting TEXT NOT NULL,
  -- Eight hexadecimal digits that are derived from the key.
  key_id TEXT NOT NULL,
  -- Milliseconds since the epoch; null if it may have signed before keys were recorded.
  first_signed_at BIGINT,
  last_signed_at BIGINT NOT NULL,
  -- The last callback that it has verified.
  last_callback_at BIGINT,
  PRIMARY KEY (setting, key_id)
);
