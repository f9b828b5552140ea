import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRODUCTION, startNetwork, type Network } from '../support/network.ts'

/** Milliseconds after which a request without an answer cannot be in flight any more. */
const REPEATED_AFTER_MS = 30_001

let now = Date.now()
let network: Network
beforeAll(async () => {
  network = await startNetwork({ clock: () => new Date(now) })
  // From here on the limits of the methods are cached, so that they are known while the payments API is unreachable.
  await network.ask('{ payinMethods { nodes { code } } }')
})
afterAll(() => network.close())

type Json = Record<string, unknown>
type Placed = {
  readonly linkId: string
  readonly statusToken: string
  readonly checkoutUrl: string
  readonly expiresAt: string
  readonly amount: Json
}
type Refused = {
  readonly fault: { readonly code: string; readonly problems: { readonly field: string; readonly message: string }[] }
}

/** Every possible answer; which fields it has depends on the status. */
type Body = Placed & Refused & { readonly deliveries: readonly (number | null)[] }

const order = (over: Json = {}): Json => ({
  orderId: randomUUID(),
  attempt: 1,
  currency: 'AUD',
  items: [
    { sku: 'beans', quantity: 2 },
    { sku: 'cup', quantity: 1 },
  ],
  language: 'en',
  ...over,
})

async function send(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${network.app.url}/shop/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Body }
}

const fieldsOf = ({ fault }: Refused) => fault.problems.map(({ field }) => field)

describe('the catalogue', () => {
  it('has a price of every thing in every currency, and tells of the emulator', async () => {
    const response = await fetch(`${network.app.url}/shop/catalogue`)
    const { currencies, items, emulator } = (await response.json()) as {
      currencies: string[]
      items: { prices: { currency: string; value: string; exponent: number }[] }[]
      emulator: boolean
    }
    expect(currencies).toEqual(['AUD', 'JPY', 'USD', 'VND', 'KES', 'KRW', 'THB', 'IDR', 'MYR', 'BRL'])
    expect(items.map(({ prices }) => prices.map(({ currency }) => currency))).toEqual(items.map(() => currencies))
    expect(items[0]?.prices.slice(0, 2)).toEqual([
      { value: '18.50', currency: 'AUD', exponent: 2 },
      { value: '1800', currency: 'JPY', exponent: 0 },
    ])
    expect(emulator).toBe(true)
  })
})

describe('an order', () => {
  it('becomes a link over what the server says it costs', async () => {
    const { status, body } = await send('orders', order({ methodCode: 'au_card_aud' }))
    expect(status).toBe(200)
    expect(Object.keys(body).toSorted()).toEqual(['amount', 'checkoutUrl', 'expiresAt', 'linkId', 'statusToken'])
    expect(body.amount).toMatchObject({ value: '61.00', currency: 'AUD', exponent: 2 })
    expect(network.sandbox.control.state().links).toContainEqual(
      expect.objectContaining({ uuid: body.linkId, currency: 'AUD', amount: '61', methodCode: 'au_card_aud' }),
    )
  })

  it.each([
    ['JPY', '6000', 0],
    ['VND', '970000', 0],
    ['KES', '5400.00', 2],
  ])('is exact in %s', async (currency, value, exponent) => {
    const { body } = await send('orders', order({ currency }))
    expect(body.amount).toMatchObject({ value, currency, exponent })
  })

  it('is followed with its token, and with no other', async () => {
    const { body } = await send('orders', order())
    const query = 'query($id: ID!, $statusToken: String) { paymentLink(id: $id, statusToken: $statusToken) { state } }'
    const asked = (statusToken: string | null) => network.ask(query, { id: body.linkId, statusToken }, { token: null })
    expect((await asked(body.statusToken)).data).toEqual({ paymentLink: { state: 'OPEN' } })
    expect((await asked(null)).data).toEqual({ paymentLink: null })
  })

  it('gives the same link again, and a new one for a new attempt', async () => {
    const first = order()
    const [a, b] = [await send('orders', first), await send('orders', first)]
    const c = await send('orders', { ...first, attempt: 2 })
    expect(b.body).toEqual(a.body)
    expect(c.body.linkId).not.toBe(a.body.linkId)
  })

  it('cannot be changed under the same attempt', async () => {
    const first = order()
    await send('orders', first)
    const changed = await send('orders', { ...first, items: [{ sku: 'sticker', quantity: 1 }] })
    expect(changed.status).toBe(422)
    expect(fieldsOf(changed.body)).toEqual(['attempt'])
  })

  it('never tells the token of the server', async () => {
    const { body } = await send('orders', order())
    expect(JSON.stringify(body)).not.toMatch(/eyJ|bearer/i)
    expect(network.log()).not.toMatch(/eyJ/)
  })

  it('leads back to the page that asked, and to no other', async () => {
    const returnTo = async (headers: Record<string, string>) => {
      const { body } = await send('orders', order(), headers)
      const page = await (await fetch(body.checkoutUrl)).text()
      return /data-success="([^"]+)\?order=/.exec(page.replaceAll('&#61;', '='))?.[1]
    }
    const local = network.app.url.replace('127.0.0.1', 'localhost')
    expect(await returnTo({ origin: network.app.url })).toBe(`${network.app.url}/shop`)
    expect(await returnTo({ origin: local })).toBe(`${network.app.url}/shop`)
    expect(await returnTo({ origin: 'https://elsewhere.test' })).toBe(`${network.app.url}/shop`)
  })
})

describe('a bad order', () => {
  it.each<[string, Json, string[]]>([
    ['a price of the browser', { items: [{ sku: 'beans', quantity: 1, price: '0.01' }] }, ['items.0.price']],
    ['a total of the browser', { amount: '0.01' }, ['amount']],
    ['a currency that is not sold in', { currency: 'EUR' }, ['currency']],
    ['less than nothing', { items: [{ sku: 'cup', quantity: -1 }] }, ['items.0.quantity']],
    ['several faults', { currency: 'EUR', language: 'xx' }, ['currency', 'language']],
    ['a method of another currency', { methodCode: 'jp_card_jpy' }, ['methodCode']],
    ['more than the method takes', { methodCode: 'au_card_aud', items: [{ sku: 'machine', quantity: 14 }] }, ['items']],
  ])('with %s names the field', async (_name, over, fields) => {
    const { status, body } = await send('orders', order(over))
    expect(status).toBe(422)
    expect(body.fault.code).toBe('INVALID_ORDER')
    expect(fieldsOf(body)).toEqual(fields)
  })

  it.each([
    ['no JSON', '{', {}, 400],
    ['another type', 'orderId=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['plain text', '{}', { 'content-type': 'text/plain' }, 415],
    ['too much', JSON.stringify({ text: 'x'.repeat(9_000) }), {}, 413],
  ])('of %s is refused', async (_name, body, headers: Record<string, string>, status) => {
    const answer = await send('orders', body, headers)
    expect(answer.status).toBe(status)
    expect(answer.body.fault.code).toBe('INVALID_ORDER')
  })
})

describe('faults for the drawer', () => {
  it('reach the emulator, and their deliveries are told', async () => {
    const { body } = await send('orders', order())
    const cause = (kind: string, more: Json = {}) => send('faults', { linkId: body.linkId, kind, ...more })
    expect((await cause('pay')).status).toBe(200)
    expect((await cause('duplicate')).body.deliveries).toEqual([200])
    expect((await cause('forged')).body.deliveries).toEqual([401])
    expect((await cause('reordered')).body.deliveries).toEqual([])
  })

  it('that are none are refused by field', async () => {
    const { status, body } = await send('faults', { linkId: '../state', kind: 'explode' })
    expect(status).toBe(422)
    expect(fieldsOf(body)).toEqual(['linkId', 'kind'])
  })

  it('tell an order that the payments API is out of reach', async () => {
    const down = await send('faults', { linkId: randomUUID(), kind: 'upstream-down' })
    expect(down.status).toBe(200)
    const wanted = order()
    const { status, body } = await send('orders', wanted)
    await send('faults', { linkId: randomUUID(), kind: 'upstream-up' })
    expect(status).toBe(503)
    expect(body.fault.code).toBe('TRY_AGAIN')
    // The outcome of that attempt is unknown: its link is looked up, and created again if it is not found.
    now += REPEATED_AFTER_MS
    expect((await send('orders', wanted)).status).toBe(200)
  })
})

describe('the shop is not there', () => {
  it.each<[string, Record<string, string>]>([
    ['in production', { ...PRODUCTION, UPSTREAM_ENVIRONMENT: 'production' }],
    ['where an issuer makes the tokens', { JWT_SECRETS: '', JWT_JWKS_URL: 'http://127.0.0.1:9/keys' }],
  ])('%s', async (_name, env) => {
    const other = await startNetwork({ env })
    try {
      const catalogue = await fetch(`${other.app.url}/shop/catalogue`)
      expect(catalogue.status).toBe(404)
      const placed = await fetch(`${other.app.url}/shop/orders`, { method: 'POST', body: '{}' })
      expect(placed.status).toBe(404)
    } finally {
      await other.close()
    }
  })
})
