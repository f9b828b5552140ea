import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { getNamedType, isAbstractType, isObjectType, isRequiredArgument, type GraphQLObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { EVENT_STREAM, isCaughtUp } from '../support/streams.ts'
import { addressOf, defaultAddress, deliver, deliveries } from '../support/webhooks.ts'
import { rounds } from './rounds.ts'

const schema = createSchema({ production: false })
/** Fields that lead to other records, or that call the payments API. */
const LEADS_AWAY = new Set(['link', 'events', 'method'])

/** Returns a selection of every field of a type without required arguments, and of all fields below it, but not of `above` again. */
function fieldsOf(type: GraphQLObjectType, above: readonly unknown[] = []): string {
  const types = [...above, type]
  return Object.values(type.getFields())
    .filter(({ name, args }) => !LEADS_AWAY.has(name) && !args.some(isRequiredArgument))
    .flatMap(({ name, type: held }) => {
      const inner = getNamedType(held)
      if (types.includes(inner)) return []
      if (isObjectType(inner)) return `${name} { ${fieldsOf(inner, types)} }`
      if (!isAbstractType(inner)) return name
      const parts = schema.getPossibleTypes(inner).map((part) => `... on ${part.name} { ${fieldsOf(part, types)} }`)
      return `${name} { __typename ${parts.join(' ')} }`
    })
    .join(' ')
}

const FIELDS = fieldsOf(schema.getType('Payment') as GraphQLObjectType)
const PAYMENT = `query Payment($id: ID!) { payment(id: $id) { ${FIELDS} } }`
const LINK = `query Link($id: ID!) { paymentLink(id: $id) { id state payment { ${FIELDS} } } }`
const STREAM = EVENT_STREAM.replace('payment { id status version } }', `payment { ${FIELDS} } }`)

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

/** Returns the payment with all its fields. Fails the test if any field fails. */
async function shown(id: string): Promise<{ readonly status: string } | null> {
  const { data, errors } = await network.ask<{ payment: { status: string } | null }>(PAYMENT, { id })
  expect(errors).toBeUndefined()
  return data.payment
}

/** Runs `act`, and returns the ids of the payments that a replay of its events shows with all their fields. */
async function replayed(act: () => Promise<void>): Promise<Set<string>> {
  const before = await network.follow(EVENT_STREAM, {})
  const [caughtUp] = await before.until(isCaughtUp)
  await before.end()
  await act()
  const stream = await network.follow(STREAM, { after: caughtUp?.cursor })
  const items = await stream.until(isCaughtUp)
  await stream.end()
  return new Set(items.flatMap(({ payment }) => payment?.id ?? []))
}

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

const STATUSES =
  `pending authorised waiting received expired failed return_pending return_expired partially_refunded return_received
  return_rejected in_dispute dispute_lost refunded quite_new RECEIVED __proto__ constructor x.y:z-1`.split(/\s+/)

const wrong: fc.Arbitrary<unknown> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ' ', '1e400', 'NaN', '-1', '\ud800', '\u0000', 'x'.repeat(3_000)),
  fc.constantFrom('javascript:alert(1)', '2026-02-30T25:61:61Z', '9999-12-31T23:59:59.999999999-1400'),
  fc.constantFrom(0, -0, -1, 1e21, 5e-324, 1.5, true, false, null),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
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

// promise(webhooks): An authentic webhook is recorded whatever its content, and does no harm.
describe('a body with fields missing, new, or of another type', () => {
  it('is kept with 200 whatever they are, and every field of its payment answers', async () => {
    const visible = new Set<string>()
    const shownAgain = await replayed(() =>
      fc.assert(
        fc.asyncProperty(body, async (told) => {
          const id = randomUUID()
          const reply = await deliver(defaultAddress(network), JSON.stringify({ ...told, uuid: id }))
          expect(reply).toMatchObject({ status: 200, body: 'ok' })
          if ((await shown(id)) !== null) visible.add(id)
        }),
        { numRuns: rounds({ few: 120, many: 20_000 }), endOnFailure: true },
      ),
    )
    expect(visible.size).toBeGreaterThan(0)
    expect(shownAgain).toEqual(visible)
  })

  it('one after another about one payment of a link, leaves a link that answers, and a log that can be replayed', async () => {
    const fresh = await createLink(network)
    const to = await addressOf(network, fresh)
    const id = randomUUID()
    const shownAgain = await replayed(() =>
      fc.assert(
        fc.asyncProperty(body, async (told) => {
          const reply = await deliver(to, JSON.stringify({ ...told, transaction_info: undefined, uuid: id }))
          expect(reply).toMatchObject({ status: 200, body: 'ok' })
          expect((await network.ask(LINK, { id: fresh.id })).errors).toBeUndefined()
        }),
        { numRuns: rounds({ few: 50, many: 5_000 }), endOnFailure: true },
      ),
    )
    expect(shownAgain).toEqual(new Set([id]))
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

  it('and a path in the place of the uuid has nothing read but the link of its address', async () => {
    const link = await createLink(network)
    const paths = () => network.sandbox.control.calls().map(({ path }) => path)
    const evil = JSON.stringify({ ...RIGHT, uuid: '../../v1/payment_gateways/access_token', status: 'failed' })
    const address = await addressOf(network, link)
    const reads = () => paths().filter((path) => path.endsWith(link.id)).length
    const before = reads()
    for (const to of [defaultAddress(network), address]) {
      expect(reads()).toBe(before)
      expect(await deliver(to, evil)).toMatchObject({ status: 400, body: 'refused' })
      expect((await deliveries(network))[0]).toMatchObject({ subjectId: null, disposition: 'QUARANTINED' })
    }
    await expect.poll(reads).toBe(before + 1)
    expect(paths().filter((path) => path.includes('access_token') || !/^\/api(?:\/[\w-]+)+$/.test(path))).toEqual([])
  })
})
