-- compatible
-- The doubt of an agreement, out of the text of its document, as of a payment: few are in doubt, and they are found without
-- the others.
ALTER TABLE agreements ADD COLUMN
  provisional INTEGER GENERATED ALWAYS AS (CASE WHEN strpos(state_json, '"provisional":true') > 0 THEN 1 ELSE 0 END) STORED;

CREATE INDEX agreements_in_doubt ON agreements (updated_at) WHERE provisional = 1;
