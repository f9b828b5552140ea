import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { addressOf, defaultAddress, deliver } from '../support/webhooks.ts'
import { everyField } from './every-field.ts'
import { rounds } from './rounds.ts'
import { endOfLog, expectCleanPrototypes, replayAfter, shown } from './views.ts'

const LINK = `query Link($id: ID!) { paymentLink(id: $id) { id state payment { ${everyField('Payment')} } } }`

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

/** Every field of the payload (docs/payments-api.md, section 6.2), and of the nested form, with a valid value. */
const RIGHT: Readonly<Record<string, unknown>> = {
  name: 'Ada Payer',
  email: 'ada@example.test',
  external_id: 'order-1',
  currency: 'AUD',
  amount: '125.5',
  total: 125.5,
  paid_amount: '0.0',
  is_refundable: true,
  payment_method: 'au_card_aud',
  payin_method_code: 'au_card_aud',
  expired_at: '2030-01-01T00:00:00.000+0000',
  created_at: '2026-01-01 00:00:00',
  pay_code: { '3ds_url': 'https://example.test/3ds', error_code: 'insufficient_funds', error_message: 'No', qr: 'x' },
  refund_information: { total_amount: '125.5', refund_amount: '5.5', description: 'x' },
  sender_details: { card: { card_type: 'credit', card_brand: 'visa', card_last_4: '4242', card_country: 'AU' } },
  webhook_notification: { endpoint_url: 'https://example.test', authorization_header: '***' },
  token: { id: 'tok_1', type: 'card' },
  transaction_info: { status: 'received', amount: 1 },
  sender_info: { email: 'ada@example.test', first_name: 'Ada', last_name: 'Payer' },
  metadata: { external_id: 'order-1' },
}

const STATUSES = [
  'pending',
  'authorised',
  'waiting',
  'received',
  'expired',
  'failed',
  'return_pending',
  'return_expired',
]
  .concat(['partially_refunded', 'return_received', 'return_rejected', 'in_dispute', 'dispute_lost', 'refunded'])
  .concat(['quite_new', 'RECEIVED', '__proto__', 'constructor', 'x.y:z-1'])

const oddText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ' ', '1e400', 'NaN', '-1', '\ud800', '\u0000', 'x'.repeat(3_000)),
)
const oddNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 1e21, 5e-324, 1.5),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
)
const wrong: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  oddNumber,
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 3, noUnicodeString: false }),
)

const body = fc
  .record({
    status: fc.constantFrom(...STATUSES),
    fields: fc.record(Object.fromEntries(Object.entries(RIGHT).map(([name, right]) => [name, changed(right)]))),
    unknown: fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
  })
  .map(({ status, fields, unknown }): Record<string, unknown> => Object.assign(unknown, fields, { status }))

/** Generates a field that is valid, absent, of another type, or changed in a part of it. */
function changed(right: unknown): fc.Arbitrary<unknown> {
  const parts =
    typeof right === 'object' && right !== null
      ? [fc.record(Object.fromEntries(Object.entries(right).map(([name, part]) => [name, changed(part)])))]
      : []
  return fc.oneof(fc.constant(right), fc.constant(undefined), wrong, ...parts)
}

describe('a body with fields missing, new, or of another type', () => {
  it('is kept with 200 whatever they are, and every field of its payment answers', async () => {
    const before = await endOfLog(network)
    const visible = new Set<string>()
    await fc.assert(
      fc.asyncProperty(body, async (told) => {
        const id = randomUUID()
        const reply = await deliver(defaultAddress(network), JSON.stringify({ ...told, uuid: id }))
        expect(reply).toMatchObject({ status: 200, body: 'ok' })
        if ((await shown(network, id)) !== null) visible.add(id)
      }),
      { numRuns: rounds({ few: 120, many: 20_000 }), endOnFailure: true },
    )
    expectCleanPrototypes()
    expect(visible.size).toBeGreaterThan(0)
    expect(await replayAfter(network, before)).toEqual(visible)
  })

  it('one after another about one payment of a link, leaves a link that answers, and a log that can be replayed', async () => {
    const fresh = await createLink(network)
    const to = await addressOf(network, fresh)
    const id = randomUUID()
    const before = await endOfLog(network)
    await fc.assert(
      fc.asyncProperty(body, async (told) => {
        const reply = await deliver(to, JSON.stringify({ ...told, transaction_info: undefined, uuid: id }))
        expect(reply).toMatchObject({ status: 200, body: 'ok' })
        const { errors } = await network.ask(LINK, { id: fresh.id })
        expect(errors).toBeUndefined()
      }),
      { numRuns: rounds({ few: 50, many: 5_000 }), endOnFailure: true },
    )
    expect(await replayAfter(network, before)).toEqual(new Set([id]))
  })

  it.each(['uuid', 'status'])('but without a %s that can be used, is quarantined with 400', async (field) => {
    const unusable = fc
      .oneof(fc.constantFrom(undefined, null, '', ' ', 'a/b', 'x'.repeat(65), 0, false), fc.jsonValue({ maxDepth: 2 }))
      .filter((value) => typeof value !== 'string' || !/^\s*[\w .:-]{1,64}\s*$/.test(value))
    await fc.assert(
      fc.asyncProperty(body, unusable, async (told, value) => {
        const whole = { ...told, uuid: randomUUID(), transaction_info: undefined }
        const reply = await deliver(defaultAddress(network), JSON.stringify({ ...whole, [field]: value }))
        expect(reply).toMatchObject({ status: 400, body: 'refused' })
      }),
      { numRuns: rounds({ few: 50, many: 2_000 }), endOnFailure: true },
    )
  })
})
