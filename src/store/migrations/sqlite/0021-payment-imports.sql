-- compatible
-- Imports: comparisons of the payments API's lists with the record.
CREATE TABLE payment_imports (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The interval in which the payments API has created what is listed.
  from_at INTEGER NOT NULL,
  to_at INTEGER NOT NULL,
  -- 1: nothing is recorded but the report.
  dry_run INTEGER NOT NULL,
  -- 1: begun by the daily schedule.
  daily INTEGER NOT NULL,
  -- Subject of the token of the request.
  requested_by TEXT,
  requested_at INTEGER NOT NULL,
  -- The lists of the sites that are read.
  parts_json TEXT NOT NULL,
  -- Where it continues.
  place_json TEXT NOT NULL,
  -- The results so far, one for each of the lists.
  reports_json TEXT NOT NULL,
  done_at INTEGER
) STRICT;

CREATE INDEX payment_imports_running ON payment_imports (number) WHERE done_at IS NULL;
CREATE INDEX payment_imports_daily ON payment_imports (from_at) WHERE daily = 1;

-- What the lists of running imports have shown: the number of the import, that of the list, and an id.
CREATE TABLE payment_import_entries (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
