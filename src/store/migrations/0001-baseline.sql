-- breaking
-- Instants are milliseconds since the epoch, truth values are 0 or 1, and documents are JSON text, in both databases.
-- Written for PostgreSQL: `IN_SQLITE` in migrate.ts has the words that SQLite has others for.
-- Every list is paged by `number` or by an instant and `number`, newest first; the log is read by `position`, oldest first.
-- Ids that lists are sorted by, what is compared with them, and texts that are searched are sorted by their bytes, and only their ASCII
-- letters have a lower case, whatever the server's language.
-- A list has an index for its order, and one for each condition that few rows meet; a page looks at a bounded number of rows of an index,
-- and checks the other conditions on them. In an index `(+number)` stands for the number: with the plain column a planner may scan the table
-- in the order of its key.

-- The database as a whole.

CREATE TABLE meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  log_id TEXT NOT NULL,
  opened_at BIGINT NOT NULL,
  -- Last sign of life of a process that held the database.
  heartbeat_at BIGINT,
  -- A sweep that has begun, after a gap since `sweep_from`, and how many links it has brought forward.
  sweep_from BIGINT,
  sweep_links INTEGER NOT NULL DEFAULT 0
);

-- for postgres
INSERT INTO meta (id, log_id, opened_at) VALUES (1, replace(gen_random_uuid()::text, '-', ''), 0);
-- for sqlite
INSERT INTO meta (id, log_id, opened_at) VALUES (1, lower(hex(randomblob(16))), 0);
-- for both

-- Which process may do what only one may do at a time.
CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  until BIGINT NOT NULL,
  -- Rises each time a lease changes hands.
  fencing_number BIGINT NOT NULL DEFAULT 0
);

-- How fast each site of the payments API is read by all nodes together. Instants are by the database's clock.
CREATE TABLE read_paces (
  site TEXT PRIMARY KEY,
  -- Ten-thousandths of the full rate.
  share BIGINT NOT NULL,
  -- Instant of the last read; it may lie ahead.
  last_at BIGINT NOT NULL,
  halved_at BIGINT NOT NULL,
  closed_until BIGINT NOT NULL
);

-- When each signing key was in use, by which it is known what still depends on it. The keys themselves are not stored.
CREATE TABLE signing_keys (
  -- The setting that lists it: CALLBACK_KEYS or SIGNING_KEYS.
  setting TEXT NOT NULL,
  -- Eight hexadecimal digits that are derived from the key.
  key_id TEXT NOT NULL,
  -- Null if it may have signed before keys were recorded.
  first_signed_at BIGINT,
  last_signed_at BIGINT NOT NULL,
  -- The last callback that it has verified.
  last_callback_at BIGINT,
  PRIMARY KEY (setting, key_id)
);

-- The log.

-- The one row that every append locks and raises: positions come in the order of the commits.
CREATE TABLE log_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  position BIGINT NOT NULL,
  -- Position of the last event that was pruned: the log can be read after it.
  horizon BIGINT NOT NULL DEFAULT 0
);

INSERT INTO log_head (id, position) VALUES (1, 0);

-- Where the log went on on another server, or in restored tables, after a restore or a failover. SQLite has no server, and no rows here.
CREATE TABLE log_branches (
  number BIGINT PRIMARY KEY,
  -- System identifier and timeline of the server, and id of the database.
  server TEXT NOT NULL,
  -- Object id of the table `log_head`: a dump that is restored into the same database has tables of its own, and may lack what was
  -- appended after it.
  head_table TEXT NOT NULL,
  -- Position of the last event that the log had when the server was first used: only up to it is the log that of the servers before.
  after_position BIGINT NOT NULL
);

-- Events of payments, links and agreements. All events about one of them lie in one stream, read by the index of the constraint.
-- Every delivery of a webhook, once, whether or not it had an effect. Its id is derived from the keyed hash of its body.

-- for postgres
-- Both are partitioned by month, so that old ones can be dropped. A unique constraint of all partitions would have to
-- include the month; only one transaction writes at a time, and it looks each key up.
CREATE TABLE events (
  position BIGINT NOT NULL,
  recorded_at BIGINT NOT NULL,
  sequence INTEGER NOT NULL CHECK (sequence > 0),
  stream_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  source TEXT NOT NULL,
  from_status TEXT,
  to_status TEXT,
  link_ref TEXT,
  payment_id TEXT,
  agreement_id TEXT,
  -- The payment after the event, without what the columns above and `recorded_at` tell, and as in `payments.state_json`.
  payment_json TEXT,
  agreement_json TEXT,
  -- Subject or client of the token with which it was asked for; null for what nobody asked for.
  requested_by TEXT
) PARTITION BY RANGE (recorded_at);

-- A partition cannot have an identity of its parent (PostgreSQL 15), but its default.
CREATE SEQUENCE deliveries_number;

CREATE TABLE deliveries (
  number BIGINT NOT NULL DEFAULT nextval('deliveries_number'),
  first_received_at BIGINT NOT NULL,
  last_received_at BIGINT NOT NULL,
  attempts INTEGER NOT NULL,
  id TEXT NOT NULL,
  ref TEXT,
  subject_id TEXT,
  status_raw TEXT,
  disposition TEXT NOT NULL,
  -- 1: it carried a signature, which was right.
  signed INTEGER,
  -- Id of the key that the Authorization of its address was made with.
  key_id TEXT,
  event_id TEXT,
  body TEXT,
  -- Headers without secrets, as JSON.
  headers_json TEXT,
  -- From the head of the first request to the transaction that stored it.
  stored_after_ms INTEGER
) PARTITION BY RANGE (first_received_at);

ALTER SEQUENCE deliveries_number OWNED BY deliveries.number;

-- The first partitions end with the month after this one. Those of later months are made by the nodes, ahead of time.
DO $$
DECLARE
  bound BIGINT := extract(epoch FROM date_trunc('month', now() AT TIME ZONE 'UTC') + interval '2 months') * 1000;
BEGIN
  EXECUTE format('CREATE TABLE events_first PARTITION OF events (PRIMARY KEY (position), UNIQUE (stream_id, sequence))
    FOR VALUES FROM (MINVALUE) TO (%s)', bound);
  EXECUTE format('CREATE TABLE deliveries_first PARTITION OF deliveries (PRIMARY KEY (number), UNIQUE (id))
    FOR VALUES FROM (MINVALUE) TO (%s)', bound);
END $$;

-- For rows of months for which no partition was made, such as those of a node whose clock is months ahead.
CREATE TABLE events_other PARTITION OF events (PRIMARY KEY (position), UNIQUE (stream_id, sequence)) DEFAULT;
CREATE TABLE deliveries_other PARTITION OF deliveries (PRIMARY KEY (number), UNIQUE (id)) DEFAULT;

-- for sqlite
CREATE TABLE events (
  position INTEGER PRIMARY KEY,
  stream_id TEXT NOT NULL,
  sequence INTEGER NOT NULL CHECK (sequence > 0),
  kind TEXT NOT NULL,
  source TEXT NOT NULL,
  from_status TEXT,
  to_status TEXT,
  link_ref TEXT,
  payment_id TEXT,
  agreement_id TEXT,
  -- The payment after the event, without what the columns above and `recorded_at` tell, and as in `payments.state_json`.
  payment_json TEXT,
  agreement_json TEXT,
  recorded_at INTEGER NOT NULL,
  -- Subject or client of the token with which it was asked for; null for what nobody asked for.
  requested_by TEXT,
  UNIQUE (stream_id, sequence)
) STRICT;

CREATE TABLE deliveries (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  ref TEXT,
  subject_id TEXT,
  status_raw TEXT,
  disposition TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  first_received_at INTEGER NOT NULL,
  last_received_at INTEGER NOT NULL,
  -- 1: it carried a signature, which was right.
  signed INTEGER,
  -- Id of the key that the Authorization of its address was made with.
  key_id TEXT,
  event_id TEXT,
  body TEXT,
  -- Headers without secrets, as JSON.
  headers_json TEXT,
  -- From the head of the first request to the transaction that stored it.
  stored_after_ms INTEGER
) STRICT;

-- for both
CREATE INDEX deliveries_by_subject ON deliveries (subject_id, (+number)) WHERE subject_id IS NOT NULL;
-- Those that a person may look at.
CREATE INDEX deliveries_by_disposition ON deliveries (disposition, (+number))
  WHERE disposition = 'QUARANTINED' OR disposition = 'DOUBTFUL';
-- What was told at the address of a command.
CREATE INDEX deliveries_by_ref ON deliveries (ref, (+number)) WHERE ref IS NOT NULL;

-- Events of payouts. Their positions are those of the whole log.
CREATE TABLE payout_events (
  position BIGINT PRIMARY KEY,
  stream_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  kind TEXT NOT NULL,
  source TEXT NOT NULL,
  from_status TEXT,
  to_status TEXT NOT NULL,
  payout_json TEXT NOT NULL,
  recorded_at BIGINT NOT NULL,
  requested_by TEXT,
  UNIQUE (stream_id, sequence)
);

-- Events of gateway payments. Their positions are those of the whole log.
CREATE TABLE gateway_payment_events (
  position BIGINT PRIMARY KEY,
  stream_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  kind TEXT NOT NULL,
  source TEXT NOT NULL,
  from_status TEXT,
  to_status TEXT NOT NULL,
  gateway_payment_json TEXT NOT NULL,
  recorded_at BIGINT NOT NULL,
  requested_by TEXT,
  UNIQUE (stream_id, sequence)
);

-- Of streams with pruned events, the sequence of the last one, so that a later event gets the next.
CREATE TABLE pruned_streams (
  stream_id TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL
); -- WITHOUT ROWID

CREATE VIEW stream_sequences AS
  SELECT stream_id, sequence FROM events UNION ALL SELECT stream_id, sequence FROM pruned_streams;

-- Keys of pruned deliveries, by which a repeat is recognised.
CREATE TABLE pruned_deliveries (
  id TEXT PRIMARY KEY,
  disposition TEXT NOT NULL,
  received_at BIGINT NOT NULL
); -- WITHOUT ROWID

CREATE INDEX pruned_deliveries_by_age ON pruned_deliveries (received_at);

-- Archived rows, in ranges of the position of events and of the number of deliveries.
CREATE TABLE archives (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind TEXT NOT NULL,
  -- The end of their unit: a month, or a partition.
  until BIGINT NOT NULL,
  first BIGINT NOT NULL,
  last BIGINT NOT NULL,
  count INTEGER NOT NULL,
  -- Name of the file; null if the rows were discarded.
  file TEXT,
  -- Of the lines before compression; null without a file.
  sha256 TEXT,
  archived_at BIGINT NOT NULL,
  UNIQUE (kind, until, last)
);

-- Payments.

CREATE TABLE payments (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  stream_id TEXT NOT NULL,
  link_ref TEXT,
  -- Upstream uuid of the link that the bodies name: it finds the link when that is recorded later than the payment.
  named_link_id TEXT,
  -- The whole payment, without details that are not known. Left out is also what a payment nearly always has: a stream of its own and no
  -- link, the status, phase and rank that follow from `statusRaw`, and `provisional` where it is false.
  state_json TEXT NOT NULL,
  -- Null while the payments API reports a status that is not known.
  status TEXT,
  phase TEXT NOT NULL,
  -- Rank 6 is final: nothing can follow it.
  rank INTEGER NOT NULL,
  -- Both null until they are known: only then is a payment listed.
  currency TEXT,
  amount TEXT,
  card_last4 TEXT,
  -- The code that the payments API names; otherwise that of the link or payin.
  method_code TEXT,
  -- The owner of the link or payin.
  owner_id TEXT,
  reference TEXT COLLATE "C",
  -- The reference that the payment's link or payin was made with, where the payment carries another one or none.
  other_reference TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deliveries INTEGER NOT NULL DEFAULT 0,
  -- 1: in doubt until a read confirms its status.
  provisional INTEGER NOT NULL DEFAULT 0,
  -- 1: a duplicate payment (see `duplicate_payments`) that is not resolved.
  duplicate INTEGER NOT NULL DEFAULT 0,
  -- From the creation of its link to the record of its payment; null for one that was not paid through a link.
  paid_after_ms BIGINT,
  -- The next read; null if none is planned. Due reads are picked by site and class: 'doubt' (a webhook asks), 'poll' (it is under way),
  -- 'expiry' (of a link).
  read_due_at BIGINT,
  read_class TEXT COLLATE "C" NOT NULL DEFAULT 'poll',
  -- The site's id; '*' and the currency for a payment of which neither link nor payin is on record.
  read_site TEXT COLLATE "C" NOT NULL DEFAULT '*',
  read_failures INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX payments_by_creation ON payments (created_at, number);
CREATE INDEX payments_by_update ON payments (updated_at, number);
CREATE INDEX payments_by_owner ON payments (owner_id, (+number)) WHERE owner_id IS NOT NULL;
-- Phases in which payments do not stay.
CREATE INDEX payments_by_phase ON payments (phase, (+number))
  WHERE phase = 'IN_PROGRESS' OR phase = 'REFUNDING' OR phase = 'DISPUTED';
-- By references payments and links are listed, and searched by their beginnings, in any case.
CREATE INDEX payments_by_reference ON payments (lower(reference), (+number)) WHERE reference IS NOT NULL;
CREATE INDEX payments_by_other_reference ON payments (lower(other_reference), (+number)) WHERE other_reference IS NOT NULL;
CREATE INDEX payments_by_link ON payments (link_ref) WHERE link_ref IS NOT NULL;
CREATE INDEX payments_by_named_link ON payments (named_link_id) WHERE named_link_id IS NOT NULL;
CREATE INDEX payments_by_read ON payments (read_site, read_class, read_due_at, number) WHERE read_due_at IS NOT NULL;
CREATE INDEX payments_duplicate ON payments ((+number)) WHERE duplicate = 1;
CREATE INDEX payments_in_doubt ON payments (updated_at) WHERE provisional = 1;

-- How many payments there are, and of what amounts, by the hour and the day in which they were created, and by what they are grouped by. Each
-- change of a payment is counted in its own transaction. A group that has become empty stays, with zeros.
CREATE TABLE payment_statistics (
  -- The interval and what follows it, as a JSON array.
  id TEXT COLLATE "C" PRIMARY KEY,
  -- HOUR or DAY.
  unit TEXT NOT NULL,
  start_at BIGINT NOT NULL,
  currency TEXT COLLATE "C" NOT NULL,
  site TEXT,
  method_kind TEXT,
  phase TEXT NOT NULL,
  status TEXT,
  failure_category TEXT,
  payments BIGINT NOT NULL,
  paid_payments BIGINT NOT NULL,
  unpaid_payments BIGINT NOT NULL,
  duplicates BIGINT NOT NULL,
  needing_attention BIGINT NOT NULL,
  -- Sums in whole units and millionths, so that they are exact.
  amount_units BIGINT NOT NULL,
  amount_millionths BIGINT NOT NULL,
  total_units BIGINT NOT NULL,
  total_millionths BIGINT NOT NULL,
  paid_units BIGINT NOT NULL,
  paid_millionths BIGINT NOT NULL,
  refunded_units BIGINT NOT NULL,
  refunded_millionths BIGINT NOT NULL,
  -- Payments by the seconds from the creation of their links.
  paid_within_15 BIGINT NOT NULL,
  paid_within_30 BIGINT NOT NULL,
  paid_within_60 BIGINT NOT NULL,
  paid_within_120 BIGINT NOT NULL,
  paid_within_180 BIGINT NOT NULL,
  paid_within_300 BIGINT NOT NULL,
  paid_within_600 BIGINT NOT NULL,
  paid_within_1800 BIGINT NOT NULL,
  paid_within_3600 BIGINT NOT NULL,
  paid_within_21600 BIGINT NOT NULL,
  paid_within_86400 BIGINT NOT NULL,
  paid_later BIGINT NOT NULL
);

CREATE INDEX payment_statistics_by_time ON payment_statistics (unit, start_at);

-- Who pays lies apart, so that it can be erased without touching anything else.
CREATE TABLE payment_payers (
  payment_id TEXT COLLATE "C" PRIMARY KEY REFERENCES payments (id),
  name TEXT COLLATE "C",
  email TEXT COLLATE "C",
  -- The reusable token of the card, encrypted under a signing key.
  card_token TEXT,
  -- 1: the payer was erased, and what is reported of it later is dropped. The other columns are null then.
  erased INTEGER NOT NULL DEFAULT 0
);

-- A signing key is needed while it decrypts one of these: see the prefix of a sealed text.
CREATE INDEX payment_payers_by_token_key ON payment_payers (substr(card_token, 5, 8)) WHERE card_token IS NOT NULL;
-- Payers are searched by these, and erased by their e-mail addresses.
CREATE INDEX payment_payers_by_email ON payment_payers (lower(email)) WHERE email IS NOT NULL;
CREATE INDEX payment_payers_by_name ON payment_payers (lower(name)) WHERE name IS NOT NULL;
-- What follows the first word of a name, and the second one; the whole name if it is one word. And its last word.
CREATE INDEX payment_payers_by_second_word
  ON payment_payers (lower(substr(name, strpos(name, ' ') + 1))) WHERE name IS NOT NULL;
CREATE INDEX payment_payers_by_third_word ON payment_payers (
  lower(substr(substr(name, strpos(name, ' ') + 1), strpos(substr(name, strpos(name, ' ') + 1), ' ') + 1))
) WHERE name LIKE '% % %';
CREATE INDEX payment_payers_by_last_word
  ON payment_payers (lower(replace(name, rtrim(name, replace(name, ' ', '')), ''))) WHERE name LIKE '% % % %';

CREATE TABLE links (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  ref TEXT NOT NULL UNIQUE,
  stream_id TEXT NOT NULL,
  site TEXT NOT NULL,
  reference TEXT COLLATE "C" NOT NULL,
  checkout_url TEXT NOT NULL,
  requested_value TEXT NOT NULL,
  requested_currency TEXT NOT NULL,
  description TEXT NOT NULL,
  method_code TEXT,
  owner_id TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  expired INTEGER NOT NULL CHECK (expired IN (0, 1)),
  payment_id TEXT COLLATE "C" REFERENCES payments (id),
  payment_phase TEXT,
  deliveries INTEGER NOT NULL DEFAULT 0,
  read_due_at BIGINT,
  read_class TEXT COLLATE "C" NOT NULL DEFAULT 'expiry',
  read_failures INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX links_by_creation ON links (created_at, number);
CREATE INDEX links_by_reference ON links (lower(reference), (+number));
CREATE INDEX links_by_owner ON links (owner_id, (+number)) WHERE owner_id IS NOT NULL;
CREATE INDEX links_by_read ON links (site, read_class, read_due_at, number) WHERE read_due_at IS NOT NULL;
-- What an import looks for in a list.
CREATE INDEX links_by_site ON links (site, created_at);

-- Payments that were made without a link.
CREATE TABLE payins (
  payment_id TEXT COLLATE "C" PRIMARY KEY REFERENCES payments (id),
  ref TEXT NOT NULL UNIQUE,
  site TEXT NOT NULL,
  owner_id TEXT,
  reference TEXT NOT NULL,
  requested_value TEXT NOT NULL,
  requested_currency TEXT NOT NULL,
  method_code TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

-- The same.
CREATE INDEX payins_by_site ON payins (site, created_at);

-- The payments of each order that hold its money, by a hash of site, owner and reference; the order of a payment is looked up when it is
-- paid. Rows of orders that are older than the keys of deliveries are pruned with them.
CREATE TABLE paid_orders (
  id TEXT PRIMARY KEY,
  payment_ids TEXT NOT NULL,
  several_expected INTEGER NOT NULL DEFAULT 0,
  updated_at BIGINT NOT NULL
); -- WITHOUT ROWID

CREATE INDEX paid_orders_by_age ON paid_orders (updated_at);

-- Payments that came although their order was paid already, or although their link had expired.
CREATE TABLE duplicate_payments (
  payment_id TEXT PRIMARY KEY,
  other_id TEXT,
  reason TEXT NOT NULL,
  found_at BIGINT NOT NULL,
  resolved_at BIGINT,
  resolution TEXT
); -- WITHOUT ROWID

-- What a refund of ours has besides its payment's state: its key, and a reason, which may name the payer and is erased with it. They outlive
-- the command, whose key can be used again after a month.
CREATE TABLE refund_requests (
  command_id TEXT PRIMARY KEY,
  payment_id TEXT NOT NULL,
  -- Null for a refund that was made elsewhere, whose command_id is its own id.
  idempotency_key TEXT,
  -- Null once it is erased.
  reason TEXT
);

CREATE INDEX refund_requests_by_payment ON refund_requests (payment_id);

-- Operators' notes, which may name the payer and are deleted with it.
CREATE TABLE payment_notes (
  -- That of the command.
  id TEXT PRIMARY KEY,
  payment_id TEXT NOT NULL,
  text TEXT NOT NULL,
  -- Subject or client of the token.
  author TEXT,
  -- Whose note it is, as `commands.key_scope`.
  author_scope TEXT NOT NULL,
  written_at BIGINT NOT NULL
);

CREATE INDEX payment_notes_by_payment ON payment_notes (payment_id);

-- Payment agreements.

CREATE TABLE agreements (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  service_id TEXT,
  client_transaction_id TEXT UNIQUE,
  ref TEXT NOT NULL UNIQUE,
  stream_id TEXT NOT NULL,
  site TEXT NOT NULL,
  owner_id TEXT,
  -- Null while the payments API reports a status that is not known.
  status TEXT,
  state_json TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deliveries INTEGER NOT NULL DEFAULT 0,
  -- As of a payment.
  provisional INTEGER NOT NULL DEFAULT 0,
  read_due_at BIGINT,
  read_class TEXT COLLATE "C" NOT NULL DEFAULT 'poll',
  read_failures INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX agreements_by_creation ON agreements (created_at, number);
CREATE INDEX agreements_by_update ON agreements (updated_at, number);
CREATE INDEX agreements_by_owner ON agreements (owner_id, (+number)) WHERE owner_id IS NOT NULL;
CREATE INDEX agreements_by_read ON agreements (site, read_class, read_due_at, number) WHERE read_due_at IS NOT NULL;
CREATE INDEX agreements_in_doubt ON agreements (updated_at) WHERE provisional = 1;

-- Who pays lies apart, as of payments.
CREATE TABLE agreement_payers (
  agreement_id TEXT COLLATE "C" PRIMARY KEY REFERENCES agreements (id),
  name TEXT,
  bsb TEXT,
  account_number_masked TEXT,
  pay_id_masked TEXT,
  pay_id_type TEXT,
  erased INTEGER NOT NULL DEFAULT 0
);

-- Payouts that were made here, as their events left them.

CREATE TABLE payout_records (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  ref TEXT NOT NULL UNIQUE,
  site TEXT NOT NULL,
  -- The merchant's own id of the batch.
  reference TEXT,
  method_code TEXT,
  -- Both null until they are known.
  currency TEXT,
  amount TEXT,
  -- Null while the payments API reports a status that is not known.
  status TEXT,
  state_json TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deliveries INTEGER NOT NULL DEFAULT 0,
  -- As of a payment.
  provisional INTEGER NOT NULL DEFAULT 0,
  read_due_at BIGINT,
  read_class TEXT NOT NULL DEFAULT 'poll',
  read_failures INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX payout_records_by_creation ON payout_records (created_at, number);
CREATE INDEX payout_records_by_update ON payout_records (updated_at, number);
CREATE INDEX payout_records_by_reference ON payout_records (reference, (+number)) WHERE reference IS NOT NULL;
CREATE INDEX payout_records_by_read ON payout_records (site, read_class, read_due_at, number) WHERE read_due_at IS NOT NULL;
CREATE INDEX payout_records_in_doubt ON payout_records (updated_at) WHERE provisional = 1;

-- Who is paid, apart from the rest, so that it can be erased. Account numbers are masked.
CREATE TABLE payout_payees (
  payout_id TEXT COLLATE "C" PRIMARY KEY,
  -- Null once they are erased: what is reported of them later is dropped.
  payees_json TEXT,
  erased INTEGER NOT NULL DEFAULT 0
);

-- Gateway payments that were started here, as their events left them.

CREATE TABLE gateway_payments (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  ref TEXT NOT NULL UNIQUE,
  site TEXT NOT NULL,
  -- The merchant's own id of the order.
  order_id TEXT NOT NULL,
  -- Null while the last status is one that is not known.
  status TEXT,
  state_json TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE INDEX gateway_payments_by_creation ON gateway_payments (created_at, number);
CREATE INDEX gateway_payments_by_order ON gateway_payments (order_id, (+number)) WHERE order_id IS NOT NULL;

-- Commands.

CREATE TABLE commands (
  id TEXT PRIMARY KEY,
  mutation TEXT NOT NULL,
  -- The idempotency key, which is unique for a caller and a mutation.
  key TEXT NOT NULL,
  -- Whose key it is.
  key_scope TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  ref TEXT NOT NULL,
  owner TEXT NOT NULL,
  lease_until BIGINT NOT NULL,
  sent_at BIGINT NOT NULL,
  result_json TEXT,
  -- How many deliveries and answers were on record of its payment or agreement when it was sent; null if it is about none.
  subject_deliveries INTEGER,
  -- And which of its events was the last one then.
  subject_version INTEGER,
  -- Id of its payment, agreement or payout.
  subject_id TEXT,
  requested_by TEXT,
  UNIQUE (mutation, key, key_scope)
);

CREATE INDEX commands_by_lease ON commands (state, lease_until);
-- Whether another command may have had the same effect is asked of those that are open, and of those that were sent lately.
CREATE INDEX commands_by_mutation ON commands (mutation, state, sent_at);
CREATE INDEX commands_by_subject ON commands (subject_id, sent_at) WHERE subject_id IS NOT NULL;

-- Attempts of commands. They outlive them: a webhook may still come to the address of an attempt that has been forgotten.
CREATE TABLE command_refs (
  ref TEXT PRIMARY KEY,
  command_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  sent_at BIGINT NOT NULL,
  -- What the correlation id was made for.
  kind TEXT NOT NULL,
  -- The credentials that the payments API was asked with.
  site TEXT NOT NULL,
  -- What a gateway payment was requested with, as JSON: neither the answer nor a callback tells the amount. Null for every other attempt.
  requested_json TEXT,
  -- The owner of an agreement that was requested: neither the answer nor a callback tells it.
  owner_id TEXT,
  -- The span of the request, to which those of its webhooks link (W3C Trace Context). Null without traces.
  traceparent TEXT
);

CREATE INDEX command_refs_by_command ON command_refs (command_id, attempt);

-- Upkeep.

-- Requests to erase payers.
CREATE TABLE erasures (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- What the payers are found by: PAYMENT, LINK, AGREEMENT, OWNER or EMAIL.
  kind TEXT NOT NULL,
  -- The id, the owner or the e-mail address; null once the erasure is done.
  value TEXT,
  -- Keyed hash of the value.
  value_hash TEXT NOT NULL,
  -- Subject of the token of the request.
  requested_by TEXT,
  requested_at BIGINT NOT NULL,
  -- Where it continues; null at its start and once it is done.
  cursor TEXT,
  -- How many of each it is about.
  payments INTEGER NOT NULL DEFAULT 0,
  agreements INTEGER NOT NULL DEFAULT 0,
  payouts INTEGER NOT NULL DEFAULT 0,
  payers INTEGER NOT NULL DEFAULT 0,
  done_at BIGINT
);

CREATE INDEX erasures_running ON erasures (kind, value) WHERE done_at IS NULL;

-- Imports: comparisons of the payments API's lists with the record.
CREATE TABLE payment_imports (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The interval in which the payments API has created what is listed.
  from_at BIGINT NOT NULL,
  to_at BIGINT NOT NULL,
  -- 1: nothing is recorded but the report.
  dry_run INTEGER NOT NULL,
  -- 1: begun by the schedule.
  daily INTEGER NOT NULL,
  -- Subject of the token of the request.
  requested_by TEXT,
  requested_at BIGINT NOT NULL,
  -- The lists of the sites that are read.
  parts_json TEXT NOT NULL,
  -- Where it continues, for each of the lists.
  places_json TEXT NOT NULL,
  -- The results so far, one for each of the lists.
  reports_json TEXT NOT NULL,
  done_at BIGINT
);

CREATE INDEX payment_imports_running ON payment_imports (number) WHERE done_at IS NULL;

-- Replays of the deliveries that meet a filter.
CREATE TABLE delivery_replays (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  filter_json TEXT NOT NULL,
  -- 1: nothing is changed but the report.
  dry_run INTEGER NOT NULL,
  -- Subject of the token of the request.
  requested_by TEXT,
  requested_at BIGINT NOT NULL,
  -- Numbers of deliveries: the last one that was looked at, and the last one that is to be.
  place BIGINT NOT NULL,
  last BIGINT NOT NULL,
  -- The results so far.
  report_json TEXT NOT NULL,
  cancelled INTEGER NOT NULL,
  done_at BIGINT
);

CREATE INDEX delivery_replays_running ON delivery_replays (number) WHERE done_at IS NULL;

-- What the lists of running imports have shown: the number of the import, that of the list, and an id.
CREATE TABLE payment_import_entries (
  key TEXT COLLATE "C" PRIMARY KEY
); -- WITHOUT ROWID
