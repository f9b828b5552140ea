import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { linkInput, tryCreateLink } from '../support/operations.ts'

let network: Network
beforeAll(async () => {
  const sites = ['aud-first', 'aud-second'].map((id) => ({
    id,
    appId: `app-${id}`,
    secretKey: `secret-of-${id}`,
    currencies: ['AUD'],
  }))
  const yen = { id: 'yen', appId: 'app-yen', secretKey: 'secret-of-yen', currencies: ['JPY'] }
  network = await startNetwork({ sandbox: { sites: [...sites, yen] } })
})
afterAll(() => network.close())

/** Returns the number of requests to the payments API that create a link. */
function creations(): number {
  return network.sandbox.control
    .calls()
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/payin_links')).length
}

/** Returns the result of `work`, and the number of links requested from the payments API meanwhile. */
async function during<Result>(work: () => Promise<Result>): Promise<{ result: Result; asked: number }> {
  const before = creations()
  const result = await work()
  return { result, asked: creations() - before }
}

describe('an idempotency key', () => {
  it('is still that of the same input when the customer was written with more spaces', async () => {
    const input = linkInput()
    const spaced = { email: ' ada@example.test', firstName: ' Ada', lastName: 'Payer ' }
    const first = await tryCreateLink(network, { ...input, customer: spaced })
    expect(await tryCreateLink(network, input)).toMatchObject({ replayed: true, link: { id: first.link?.id } })
  })

  it('is still known after a restart', async () => {
    const own = await startNetwork()
    try {
      const input = linkInput()
      const first = await tryCreateLink(own, input)
      await own.restart()
      const again = await tryCreateLink(own, input)
      expect(again).toMatchObject({
        replayed: true,
        link: { id: first.link?.id, checkoutUrl: first.link?.checkoutUrl },
      })
      expect(own.sandbox.control.state().counters.links).toBe(1)
    } finally {
      await own.close()
    }
  })

  it.each<[string, Record<string, unknown>]>([
    ['amount', { amount: { value: '125.51', currency: 'AUD' } }],
    ['amount, written differently', { amount: { value: '125.5', currency: 'AUD' } }],
    ['reference', { reference: 'order-1816' }],
    ['customer', { customer: { email: 'eve@example.test', firstName: 'Eve', lastName: 'Payer' } }],
    ['method', { methodCode: null }],
    ['site', { site: 'aud-second' }],
    ['owner', { ownerId: 'customer-7' }],
  ])('used again with another %s is a conflict', async (_what, over) => {
    const input = linkInput()
    await tryCreateLink(network, input)
    const { result, asked } = await during(() => tryCreateLink(network, { ...input, ...over }))
    expect(asked).toBe(0)
    expect(result).toMatchObject({
      __typename: 'PaymentsIdempotencyConflictError',
      code: 'IDEMPOTENCY_CONFLICT',
      inProgress: false,
      retryable: false,
    })
  })
})

describe('input that breaks a rule', () => {
  const customer = (over: Record<string, unknown>) => ({
    customer: { email: 'ada@example.test', firstName: 'Ada', lastName: 'Payer', ...over },
  })

  it.each<[string[], Record<string, unknown>]>([
    [['idempotencyKey'], { idempotencyKey: '' }],
    [['amount', 'value'], { amount: { value: '0.5', currency: 'JPY' }, methodCode: 'jp_card_jpy' }],
    [['amount', 'currency'], { amount: { value: '100', currency: 'THB' }, methodCode: null }],
    [['customer', 'email'], customer({ email: 'nobody' })],
    [['customer', 'extra', 'phone'], customer({ extra: { phone: 1 } })],
    [['methodCode'], { methodCode: 'jp_card_jpy' }],
    [['site'], { site: 'no-such-site' }],
    [['site'], { site: 'yen' }],
  ])('at %j is refused with that path, and the payments API is not asked', async (path, over) => {
    const { result, asked } = await during(() => tryCreateLink(network, over))
    expect(asked).toBe(0)
    expect(result).toMatchObject({
      __typename: 'PaymentsInvalidInputError',
      code: 'INVALID_INPUT',
      retryable: false,
      problems: [{ path, message: expect.stringMatching(/\w/) }],
    })
  })
})

describe('the method', () => {
  it('that is not enabled is refused with those that are', async () => {
    const { result, asked } = await during(() => tryCreateLink(network, { methodCode: 'au_bank_aud' }))
    expect(asked).toBe(0)
    expect(result).toMatchObject({
      __typename: 'PaymentsMethodUnavailableError',
      availableCodes: ['au_card_aud', 'au_alias_npp_aud'],
    })
  })

  it.each([
    ['au_card_aud', '0.99', '1.00', '25000.00'],
    ['au_card_aud', '25000.01', '1.00', '25000.00'],
    ['au_alias_npp_aud', '50000.01', '1.00', '50000.00'],
    [null, '50000.01', '1.00', '50000.00'],
  ])('%s does not take %s: the limits are told', async (methodCode, value, min, max) => {
    const over = { methodCode, amount: { value, currency: 'AUD' } }
    const { result, asked } = await during(() => tryCreateLink(network, over))
    expect(asked).toBe(0)
    expect(result).toMatchObject({
      __typename: 'PaymentsAmountOutOfRangeError',
      code: 'AMOUNT_OUT_OF_RANGE',
      min: { value: min, currency: 'AUD' },
      max: { value: max, currency: 'AUD' },
    })
  })
})

describe('the site', () => {
  it('is the first that serves the currency, unless another is named', async () => {
    const bySite = async (over: Record<string, unknown>) => {
      const { link } = await tryCreateLink(network, over)
      const seen = network.sandbox.control.state().links.find(({ uuid }) => uuid === link?.id)
      return [link?.site, seen?.siteId]
    }
    expect(await bySite({})).toEqual(['aud-first', 'aud-first'])
    expect(await bySite({ site: 'aud-second' })).toEqual(['aud-second', 'aud-second'])
    expect(await bySite({ amount: { value: '1000', currency: 'JPY' }, methodCode: null })).toEqual(['yen', 'yen'])
  })
})

describe('the reference of a link', () => {
  const known = async (over: Record<string, unknown> = {}) => {
    const { link } = await tryCreateLink(network, { reference: 'order-1842', ...over })
    return network.sandbox.control.state().links.find(({ uuid }) => uuid === link?.id)?.externalId
  }

  it('reaches the payments API, unless that is turned off', async () => {
    expect(await known()).toBe('order-1842')
    await network.restart(undefined, { UPSTREAM_LINK_REFERENCE: 'off' })
    expect(await known()).toBeNull()
    await network.restart()
    expect(await known({ site: 'aud-second' })).toBe('order-1842')
  })
})
