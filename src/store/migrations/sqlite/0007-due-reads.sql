-- breaking
-- Due reads are picked by site and class: 'doubt' (a webhook or a person asks), 'expiry' (of a link), 'poll' (the rest).
-- `read_site` is the site's id; '*' and the currency for a payment of which neither link nor payin is on record.
ALTER TABLE payments ADD COLUMN read_class TEXT NOT NULL DEFAULT 'poll';
ALTER TABLE payments ADD COLUMN read_site TEXT NOT NULL DEFAULT '*';
ALTER TABLE links ADD COLUMN read_class TEXT NOT NULL DEFAULT 'expiry';
ALTER TABLE agreements ADD COLUMN read_class TEXT NOT NULL DEFAULT 'poll';

UPDATE payments SET read_site = coalesce(
  (SELECT site FROM links WHERE links.ref = payments.link_ref),
  (SELECT site FROM payins WHERE payins.payment_id = payments.id),
  '*' || coalesce(json_extract(state_json, '$.details.currency'), '')
);

-- A column that is written, where a part of the document was computed before, so that both databases have the same.
DROP INDEX payments_in_doubt;
ALTER TABLE payments DROP COLUMN provisional;
ALTER TABLE payments ADD COLUMN provisional INTEGER NOT NULL DEFAULT 0;
UPDATE payments SET provisional = 1 WHERE json_extract(state_json, '$.provisional') = 1;
CREATE INDEX payments_in_doubt ON payments (updated_at) WHERE provisional = 1;

DROP INDEX agreements_in_doubt;
ALTER TABLE agreements DROP COLUMN provisional;
ALTER TABLE agreements ADD COLUMN provisional INTEGER NOT NULL DEFAULT 0;
UPDATE agreements SET provisional = 1 WHERE json_extract(state_json, '$.provisional') = 1;
CREATE INDEX agreements_in_doubt ON agreements (updated_at) WHERE provisional = 1;

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
ALTER TABLE meta ADD COLUMN sweep_from INTEGER;
ALTER TABLE meta ADD COLUMN sweep_cursor TEXT;

-- How many deliveries and answers were on record of its payment or agreement when a command was sent.
ALTER TABLE commands ADD COLUMN subject_deliveries INTEGER;
-- And which of its events was the last one then.
ALTER TABLE commands ADD COLUMN subject_version INTEGER;
