/** Runs one statement. All statements are valid in both databases. */
export type Run = (sql: string) => unknown

/** Milliseconds since the epoch. Payment `n` is created `n` steps later. */
export const START = Date.UTC(2030, 0, 1)

/** The payments of a database. The step is that of a million payments a month, unless another one is given. */
export type Filling = { readonly payments: number; readonly stepMs: number }

export const fillingOf = (payments: number, stepMs = 2_600): Filling => ({ payments, stepMs })

/** Returns the instant at which payment `n` was created, in milliseconds since the epoch. */
export const instantOf = ({ stepMs }: Filling, n: number): number => START + Math.floor(n * stepMs)

/** The reference of every fifth payment, as in a shop that uses one reference for many payments. */
export const SHARED_REFERENCE = 'donation'

export const paymentId = (n: number): string => `PAY-${scattered(n)}`
export const linkId = (n: number): string => `LINK-${scattered(n)}`
export const agreementId = (n: number): string => `AGR-${scattered(n)}`
export const payoutId = (n: number): string => `OUT-${scattered(n)}`
export const gatewayPaymentId = (n: number): string => `9${scattered(n)}`
export const reference = (n: number): string => `order-${n}`

/** Returns the end of an id. Like uuids, these do not increase with the row. */
function scattered(n: number): string {
  return `${(n * 2_654_435_761) % 4_294_967_296}-9f1c-4b7e-8d3a-5e6f7a8b9c0d`
}

const ID = `((n * 2654435761) % 4294967296) || '-9f1c-4b7e-8d3a-5e6f7a8b9c0d'`

/** The last 50 of each 1,000 payments have no known amount. */
const AMOUNT = `(CASE WHEN n % 1000 >= 950 THEN NULL ELSE '10.00' END)`

/** Nearly all payments have ended (paid, failed, expired or refunded); two hundredths of a percent are in dispute. */
const PHASE = `(CASE WHEN n % 5000 = 7 THEN 'DISPUTED' WHEN n % 500 = 8 THEN 'REFUNDING' WHEN n % 100 = 9 THEN 'IN_PROGRESS'
  WHEN n % 100 < 3 THEN 'REFUNDED' WHEN n % 10 = 3 THEN 'FAILED' WHEN n % 10 = 4 THEN 'EXPIRED' ELSE 'SUCCEEDED' END)`

const RANK = `(CASE WHEN n % 100 < 3 THEN 6 WHEN n % 100 = 9 THEN 0 ELSE 4 END)`
const REFERENCE = `(CASE WHEN n % 5 = 0 THEN '${SHARED_REFERENCE}' ELSE 'order-' || n END)`
const PROVISIONAL = `(CASE WHEN n % 2000 = 11 THEN 'true' ELSE 'false' END)`

/** A JSON document of the usual length of a payment. */
const STATE = `('{"id":"PAY-' || ${ID} || '","streamId":"link:ref-' || n || '","linkRef":"ref-' || n || '","version":4,' ||
  '"statusRaw":"received","status":"received","phase":"SUCCEEDED","rank":4,"seen":["pending","received"],' ||
  '"provisional":' || ${PROVISIONAL} || ',"details":' ||
  '{"currency":"AUD","amount":"10.00","total":"10.00","paid":"10.00","refunded":null,"refundable":true,"reference":null,"methodRaw":"card",' ||
  '"card":null,"threeDsUrl":null,"failureCode":null,"failureMessage":null,"instructions":null,"expiresAt":null,' ||
  '"createdAt":"2030-01-01T00:00:00.000Z"},"updatedAt":"2030-01-01T00:00:00.000Z",' ||
  '"filler":"${'-'.repeat(352)}"}')`

const KIND = `(CASE k WHEN 1 THEN 'LINK_CREATED' WHEN 4 THEN 'PAYMENT_DETAILS_CHANGED' ELSE 'PAYMENT_STATUS_CHANGED' END)`

const DISPOSITION = `(CASE WHEN n % 5000 = 13 AND k = 4 THEN 'QUARANTINED' WHEN n % 2000 = 11 AND k = 4 THEN 'DOUBTFUL'
  WHEN n % 100 = 12 THEN 'STALE' WHEN k = 4 THEN 'NO_CHANGE' ELSE 'APPLIED' END)`

/**
 * Fills an empty store with payments through links, an unused link for every fourth payment, five events and four deliveries of each
 * payment, and an agreement for every second payment. All data of payment `n` follow from `n`.
 */
export async function fillDatabase(run: Run, { payments, stepMs }: Filling): Promise<void> {
  const at = `CAST(${START} + n * ${stepMs} AS BIGINT)`
  const rows = `WITH RECURSIVE rows_of(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows_of WHERE n < ${payments})`
  const parts = (last: number) =>
    `(${Array.from({ length: last }, (_, k) => `SELECT ${k + 1} AS k`).join(' UNION ALL ')}) parts`
  const statements = [
    `INSERT INTO payments (id, stream_id, link_ref, state_json, phase, rank, currency, amount, reference,
        other_reference, created_at, updated_at, read_due_at)
      ${rows} SELECT 'PAY-' || ${ID}, 'link:ref-' || n, 'ref-' || n, ${STATE}, ${PHASE}, ${RANK}, 'AUD', ${AMOUNT},
        (CASE WHEN n % 3 = 0 THEN NULL ELSE ${REFERENCE} END),
        (CASE WHEN n % 3 = 0 THEN ${REFERENCE} END), ${at}, ${at} + (n % 97) * 60000, (CASE WHEN n % 100 = 9 THEN ${at} END) FROM rows_of`,
    `INSERT INTO links (id, ref, stream_id, site, reference, checkout_url, requested_value, requested_currency, description,
        created_at, expires_at, expired, payment_id, payment_phase)
      ${rows} SELECT 'LINK-' || ${ID}, 'ref-' || n, 'link:ref-' || n, 'au', ${REFERENCE}, 'https://checkout.example/' || n,
        '10.00', 'AUD', 'Two tickets', ${at}, ${at} + 3600000, 0, 'PAY-' || ${ID}, ${PHASE} FROM rows_of`,
    // The last of these links are open. About ten have expired without a report of the payments API, however many links there are, because
    // the number of links that wait for the read after their expiry depends on how many expire at a time.
    `INSERT INTO links (id, ref, stream_id, site, reference, checkout_url, requested_value, requested_currency, description,
        created_at, expires_at, expired)
      ${rows} SELECT 'UNUSED-' || ${ID}, 'unused-' || n, 'link:unused-' || n, 'au', ${REFERENCE},
        'https://checkout.example/unused', '10.00', 'AUD', 'Two tickets', ${at}, ${at} + 3600000,
        (CASE WHEN n > ${payments} - 40 OR n % ${4 * Math.ceil(payments / 40)} = 4 THEN 0 ELSE 1 END) FROM rows_of WHERE n % 4 = 0`,
    `INSERT INTO agreements (id, client_transaction_id, ref, stream_id, site, status, state_json, created_at, updated_at)
      ${rows} SELECT 'AGR-' || ${ID}, 'client-' || n, 'agr-' || n, 'agreement:agr-' || n, 'au',
        (CASE WHEN n % 2000 = 0 THEN NULL WHEN n % 1000 = 50 THEN 'suspended' WHEN n % 500 = 100 THEN 'created' ELSE 'active' END),
        '{"id":"AGR-' || ${ID} || '","provisional":false}', ${at} - (n % 7) * 86400000, ${at} FROM rows_of WHERE n % 2 = 0`,
    `INSERT INTO events (position, stream_id, sequence, kind, source, from_status, to_status, link_ref, payment_id,
        payment_json, recorded_at)
      ${rows} SELECT (n - 1) * 6 + k, 'link:ref-' || n, k, ${KIND}, 'WEBHOOK', 'pending', 'received', 'ref-' || n,
        (CASE WHEN k > 1 THEN 'PAY-' || ${ID} END), (CASE WHEN k > 1 THEN ${STATE} END), ${at}
      FROM rows_of CROSS JOIN ${parts(5)}`,
    `INSERT INTO events (position, stream_id, sequence, kind, source, agreement_id, agreement_json, recorded_at)
      ${rows} SELECT (n - 1) * 6 + 6, 'agreement:agr-' || n, 1, 'AGREEMENT_STATUS_CHANGED', 'WEBHOOK', 'AGR-' || ${ID},
        '{"id":"AGR-' || ${ID} || '","provisional":false}', ${at} FROM rows_of WHERE n % 2 = 0`,
    `INSERT INTO payout_records (id, ref, site, reference, method_code, currency, amount, status, state_json, created_at, updated_at)
      ${rows} SELECT 'OUT-' || ${ID}, 'out-' || n, 'au', ${REFERENCE}, (CASE WHEN n % 50 = 0 THEN 'jp_bank_jpy' ELSE 'au_bank_aud' END),
        (CASE WHEN n % 50 = 0 THEN 'JPY' ELSE 'AUD' END), '10',
        (CASE WHEN n % 2000 = 0 THEN NULL WHEN n % 1000 = 50 THEN 'expired' WHEN n % 500 = 100 THEN 'created' ELSE 'completed' END),
        '{"id":"OUT-' || ${ID} || '","provisional":false}', ${at}, ${at} FROM rows_of WHERE n % 2 = 0`,
    `INSERT INTO payout_events (position, stream_id, sequence, kind, source, to_status, payout_json, recorded_at)
      ${rows} SELECT (n - 1) * 6 + 6, 'payout:OUT-' || ${ID}, 1, 'PAYOUT_CREATED', 'COMMAND', 'created',
        '{"id":"OUT-' || ${ID} || '"}', ${at} FROM rows_of WHERE n % 4 = 3`,
    `INSERT INTO gateway_payments (id, ref, site, order_id, status, state_json, created_at)
      ${rows} SELECT '9' || ${ID}, 'gate-' || n, 'au', ${REFERENCE},
        (CASE WHEN n % 2000 = 0 THEN NULL WHEN n % 1000 = 50 THEN 'expired' WHEN n % 500 = 100 THEN 'created' ELSE 'received' END),
        '{"id":"9' || ${ID} || '","provisional":false}', ${at} FROM rows_of WHERE n % 2 = 0`,
    `INSERT INTO gateway_payment_events (position, stream_id, sequence, kind, source, to_status, gateway_payment_json, recorded_at)
      ${rows} SELECT (n - 1) * 6 + 6, 'gateway:9' || ${ID}, 1, 'GATEWAY_PAYMENT_CREATED', 'COMMAND', 'created',
        '{"id":"9' || ${ID} || '"}', ${at} FROM rows_of WHERE n % 4 = 1`,
    `UPDATE log_head SET position = ${payments} * 6`,
    `INSERT INTO deliveries (id, ref, subject_id, status_raw, disposition, attempts, first_received_at,
        last_received_at, event_id, body)
      ${rows} SELECT 'D-' || n || '-' || k, 'ref-' || n, 'PAY-' || ${ID}, 'received', ${DISPOSITION}, 1,
        ${at}, ${at}, 'link:ref-' || n || '.' || k, '{"filler":"${'-'.repeat(300)}"}' FROM rows_of CROSS JOIN ${parts(4)}`,
    `INSERT INTO commands (id, mutation, key, key_scope, fingerprint, state, attempt, ref, owner, lease_until, sent_at, result_json)
      ${rows} SELECT 'C-' || n, (CASE WHEN n % 50 = 0 THEN 'refundPayment' ELSE 'createPaymentLink' END), 'key-' || n, 'caller', 'f',
        'SETTLED', 1, 'ref-' || n, 'process-1', ${at}, ${at}, '{"linkId":"LINK-' || ${ID} || '"}' FROM rows_of`,
    `INSERT INTO command_refs (ref, command_id, attempt, sent_at, kind, site)
      ${rows} SELECT 'ref-' || n, 'C-' || n, 1, ${at}, 'link', 'au' FROM rows_of`,
  ]
  for (const statement of statements) await run(statement)
}
