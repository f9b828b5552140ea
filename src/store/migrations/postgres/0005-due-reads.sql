-- breaking
-- Due reads are picked by site and class: 'doubt' (a webhook or a person asks), 'expiry' (of a link), 'poll' (the rest).
-- `read_site` is the site's id; '*' and the currency for a payment of which neither link nor payin is on record.
ALTER TABLE payments ADD COLUMN read_class TEXT COLLATE "C" NOT NULL DEFAULT 'poll';
ALTER TABLE payments ADD COLUMN read_site TEXT COLLATE "C" NOT NULL DEFAULT '*';
ALTER TABLE links ADD COLUMN read_class TEXT COLLATE "C" NOT NULL DEFAULT 'expiry';
ALTER TABLE agreements ADD COLUMN read_class TEXT COLLATE "C" NOT NULL DEFAULT 'poll';

-- The currency by its text: the server's own JSON refuses documents with \u0000 in them. The key stands once in a document
-- of ours before anything that the payments API has written, whose quotes are escaped.
UPDATE payments SET read_site = coalesce(
  (SELECT site FROM links WHERE links.ref = payments.link_ref),
  (SELECT site FROM payins WHERE payins.payment_id = payments.id),
  '*' || coalesce(substring(state_json from '"details":\{[^{}]*?"currency":"([A-Z]{3,4})"'), '')
);

-- A column that is written, where the text of the document was searched before: what the payments API has written could
-- hold the same text in an object of its own, which comes behind `details`.
ALTER TABLE payments ALTER COLUMN provisional DROP EXPRESSION;
UPDATE payments SET provisional = 0
  WHERE provisional = 1 AND strpos(split_part(state_json, '"details":', 1), '"provisional":true') = 0;
ALTER TABLE payments ALTER COLUMN provisional SET DEFAULT 0;
ALTER TABLE payments ALTER COLUMN provisional SET NOT NULL;
DROP INDEX payments_in_doubt;
CREATE INDEX payments_in_doubt ON payments (updated_at) WHERE provisional = 1;

ALTER TABLE agreements ALTER COLUMN provisional DROP EXPRESSION;
ALTER TABLE agreements ALTER COLUMN provisional SET DEFAULT 0;
ALTER TABLE agreements ALTER COLUMN provisional SET NOT NULL;

UPDATE payments SET read_class = 'doubt' WHERE provisional = 1;
UPDATE agreements SET read_class = 'doubt' WHERE provisional = 1;

DROP INDEX payments_by_read;
DROP INDEX links_by_read;
DROP INDEX agreements_by_read;
CREATE INDEX payments_by_read ON payments (read_site, read_class, read_due_at, id) WHERE read_due_at IS NOT NULL;
CREATE INDEX links_by_read ON links (site, read_class, read_due_at, id) WHERE read_due_at IS NOT NULL;
CREATE INDEX agreements_by_read ON agreements (site, read_class, read_due_at, id) WHERE read_due_at IS NOT NULL;

-- The neighbours of a due read: what the payments API lists on the same page.
CREATE INDEX links_by_site ON links (site, created_at);
CREATE INDEX payins_by_site ON payins (site, created_at);

-- What a sweep goes through.
DROP INDEX payments_unfinal;
DROP INDEX links_unfinal;
CREATE INDEX payments_changeable ON payments (updated_at, number) WHERE rank < 6;
CREATE INDEX links_open ON links (expires_at, number) WHERE payment_id IS NULL AND expired = 0;
CREATE INDEX agreements_changeable ON agreements (updated_at, number);

-- A sweep that has begun: it reads back what may have changed since `sweep_from`, as far as `sweep_cursor`.
ALTER TABLE meta ADD COLUMN sweep_from BIGINT;
ALTER TABLE meta ADD COLUMN sweep_cursor TEXT;

-- How many deliveries and answers were on record of its payment or agreement when a command was sent.
ALTER TABLE commands ADD COLUMN subject_deliveries INTEGER;
-- And which of its events was the last one then.
ALTER TABLE commands ADD COLUMN subject_version INTEGER;
