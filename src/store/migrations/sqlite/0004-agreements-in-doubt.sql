-- compatible
-- The doubt of an agreement, out of its document, as of a payment: few are in doubt, and they are found without the others.
ALTER TABLE agreements ADD COLUMN provisional INTEGER GENERATED ALWAYS AS (json_extract(state_json, '$.provisional')) VIRTUAL;

CREATE INDEX agreements_in_doubt ON agreements (updated_at) WHERE provisional = 1;
