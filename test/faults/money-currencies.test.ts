import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { currencies, exponentOf, amountProblem } from '../../src/domain/money/money.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, tryCreateLink } from '../support/operations.ts'
import { addressOf, deliver, deliveries, paymentBody } from '../support/webhooks.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: { paceMs: 60_000 } })))
afterAll(() => network.close())

/** Returns the number of smallest units in a decimal; `decimalOf` is the inverse. */
const unitsOf = (value: string, exponent: number): bigint => {
  const [whole = '', decimals = ''] = value.split('.')
  return BigInt(whole + decimals.padEnd(exponent, '0'))
}
const decimalOf = (units: bigint, exponent: number): string => {
  const digits = String(units).padStart(exponent + 1, '0')
  return exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
}

// promise(money): Each currency accepts its own decimals and limits; a refunded total is what the payments API reports,
// never a sum.
it.each(currencies.map(({ code, exponent }) => [code, exponent] as const))(
  '%s takes %i decimals',
  (currency, exponent) => {
    const problem = (value: string) => amountProblem({ value, currency })
    for (let decimals = 0; decimals <= 7; decimals++)
      for (const digit of ['1', '0']) {
        const value = decimals === 0 ? '1' : `1.${digit.repeat(decimals)}`
        expect([value, problem(value) === null]).toEqual([value, decimals <= exponent])
      }
    const most = 10n ** 15n
    expect([1n, most - 1n].map((units) => problem(decimalOf(units, exponent)))).toEqual([null, null])
    expect([0n, most].map((units) => problem(decimalOf(units, exponent)))).not.toContain(null)
  },
)

type Method = {
  code: string
  currency: string
  minAmount: { value: string } | null
  maxAmount: { value: string } | null
}

describe('the limits of a method', () => {
  it('are both within it, and one unit beyond either is refused with them, in every currency', async () => {
    const all = network.sandbox.sites.flatMap((site) => site.currencies)
    // The sandbox has no method for links in these.
    const codes = all.filter((code) => code !== 'ARS' && code !== 'USDC')
    const { data } = await network.ask<{ payinMethods: { nodes: Method[] } }>(
      'query M($codes: [CurrencyCode!]!) { payinMethods(currencies: $codes, usableFor: [LINK]) { nodes { code currency minAmount { value } maxAmount { value } } } }',
      { codes },
    )
    const limited = data.payinMethods.nodes.filter(
      ({ minAmount, maxAmount }) => minAmount !== null && maxAmount !== null,
    )
    // One method of each currency.
    const methods = limited.filter(
      (one, index) => limited.findIndex(({ currency }) => currency === one.currency) === index,
    )
    expect(methods.map(({ currency }) => currency)).toEqual(expect.arrayContaining(codes))
    for (const { code: methodCode, currency, minAmount, maxAmount } of methods) {
      const exponent = exponentOf(currency)
      const [min, max] = [minAmount, maxAmount].map((limit) => unitsOf(limit?.value ?? '', exponent))
      if (min === undefined || max === undefined) throw new Error('There is no limit.')
      const kindOf = async (units: bigint) => {
        const amount = { value: decimalOf(units, exponent), currency }
        const { __typename, ...rest } = await tryCreateLink(network, { amount, methodCode })
        return __typename === 'PaymentsAmountOutOfRangeError'
          ? { __typename, min: rest['min'], max: rest['max'] }
          : { __typename }
      }
      const outside = {
        __typename: 'PaymentsAmountOutOfRangeError',
        min: { value: minAmount?.value, currency },
        max: { value: maxAmount?.value, currency },
      }
      const inside = { __typename: 'CreatePaymentLinkSuccess' }
      expect([currency, await kindOf(min), await kindOf(max)]).toEqual([currency, inside, inside])
      expect([currency, await kindOf(max + 1n)]).toEqual([currency, outside])
      expect(min).toBeGreaterThan(1n)
      expect([currency, await kindOf(min - 1n)]).toEqual([currency, outside])
    }
  })
})

describe('an amount that the payments API records', () => {
  const PAYMENT = `query P($id: ID!) { payment(id: $id) { status amount { value currency } paid { value } refunded { value }
    link { requestedAmount { value currency } } } }`
  const shown = async (id: string) => (await network.ask(PAYMENT, { id })).data['payment']

  it('may be another than was asked for: both are shown, each as what it is', async () => {
    const link = await createLink(network, { amount: { value: '125.50', currency: 'AUD' } })
    const uuid = randomUUID()
    const body = paymentBody({ uuid, status: 'received', amount: '120.5', total: '121', paid_amount: '120.50' })
    expect((await deliver(await addressOf(network, link), body)).status).toBe(200)
    expect(await shown(uuid)).toEqual({
      status: 'RECEIVED',
      amount: { value: '120.50', currency: 'AUD' },
      paid: { value: '120.50' },
      refunded: null,
      link: { requestedAmount: { value: '125.50', currency: 'AUD' } },
    })
  })

  it('in another currency than a payment has is not believed', async () => {
    const link = await createLink(network, { amount: { value: '125.50', currency: 'AUD' } })
    const address = await addressOf(network, link)
    const uuid = randomUUID()
    expect((await deliver(address, paymentBody({ uuid, status: 'authorised' }))).status).toBe(200)
    expect((await deliver(address, paymentBody({ uuid, status: 'received', currency: 'KRW' }))).status).toBe(200)
    expect((await deliveries(network, [uuid]))[0]).toMatchObject({ disposition: 'DOUBTFUL', event: null })
    await network.app.settle()
    expect(await shown(uuid)).toMatchObject({ amount: { value: '125.50', currency: 'AUD' } })
  })

  it('as refunded is the total that the body names, never a sum of what came before', async () => {
    const link = await createLink(network, { amount: { value: '125.50', currency: 'AUD' } })
    const address = await addressOf(network, link)
    const uuid = randomUUID()
    const tell = (status: string, refund_amount: string | null) =>
      deliver(
        address,
        paymentBody({
          uuid,
          status,
          paid_amount: '125.5',
          ...(refund_amount === null ? {} : { refund_information: { total_amount: '125.5', refund_amount } }),
        }),
      )
    const steps: [string, string | null, string | null][] = [
      ['received', null, null],
      ['partially_refunded', '25.50', '25.50'],
      ['partially_refunded', '25.50', '25.50'],
      ['return_received', '125.5', '125.50'],
    ]
    for (const [status, told, refunded] of steps) {
      expect((await tell(status, told)).status).toBe(200)
      const expected = refunded === null ? null : { value: refunded }
      expect([status, told, await shown(uuid)]).toMatchObject([status, told, { refunded: expected }])
    }
  })
})
