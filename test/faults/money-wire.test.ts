import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answer, startScriptedService, type ScriptedService } from '../e2e/upstream/scripted-service.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { CREATE_LINK, linkInput, tryCreateLink } from '../support/operations.ts'
import { defaultAddress, deliver } from '../support/webhooks.ts'
import { rounds } from './rounds.ts'

const EXPONENTS = { AUD: 2, KRW: 0, USDC: 6 } as const
const SITE = { id: 'all', appId: 'app', secretKey: 'secret-of-the-site', currencies: Object.keys(EXPONENTS) }

let service: ScriptedService
let network: Network
beforeAll(async () => {
  // It creates every link and has no list of methods, so that only the app itself checks amounts.
  service = await startScriptedService((socket, request) => {
    const made = JSON.stringify({ uuid: randomUUID(), payment_url: 'https://pay.example.test/page' })
    const script = request.line.startsWith('POST ') ? answer(200, made) : answer(404, '{}')
    script(socket, request)
  })
  network = await startNetwork({ upstreamUrl: service.baseUrl, env: { UPSTREAM_SITES: JSON.stringify([SITE]) } })
})
afterAll(async () => {
  await network.close()
  await service.close()
})

/** Returns the raw bodies of the requests that create links. */
const posts = () => service.requests.filter(({ line }) => line.startsWith('POST ')).map(({ body }) => body)

const ASK = CREATE_LINK.replace('link { id', 'link { description id')

type Made = { createPaymentLink: { link?: { requestedAmount: { value: string } } } }

/** Requests a link. Returns its amount on the wire, and the amount in the answer to the client. */
async function madeFor(
  value: unknown,
  currency: string,
): Promise<{ wire: string | undefined; told: string | undefined }> {
  const description = randomUUID()
  const answered = await network.ask<Made>(ASK, {
    input: linkInput({ amount: { value, currency }, methodCode: null, description }),
  })
  const body = posts().findLast((sent) => sent.includes(description)) ?? ''
  return {
    wire: /"amount":([^,}]*)[,}]/.exec(body)?.[1],
    told: answered.data.createPaymentLink.link?.requestedAmount.value,
  }
}

/** Returns a decimal with at least as many digits after the point as its currency has. */
function padded(value: string, exponent: number): string {
  const [whole = '', decimals = ''] = value.split('.')
  const shown = decimals.padEnd(exponent, '0')
  return shown === '' ? whole : `${whole}.${shown}`
}

/** Generates an amount of 1 to 15 significant digits and at most `most` decimals, often with zeros at its ends. */
function anyAmount(most: number): fc.Arbitrary<string> {
  const digit = fc.constantFrom(...'0000123456789'.split(''))
  const digits = fc.array(digit, { minLength: 1, maxLength: 15 }).filter((all) => all.some((one) => one !== '0'))
  return fc.tuple(digits, fc.nat(most)).map(([all, decimals]) => {
    const text = all
      .join('')
      .replace(/^0+/, '')
      .padStart(decimals + 1, '0')
    return decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`
  })
}
const amounts = fc
  .constantFrom<keyof typeof EXPONENTS>('AUD', 'KRW', 'USDC')
  .chain((currency) => anyAmount(EXPONENTS[currency]).map((value) => ({ value, currency })))

// promise(money): Random amounts keep their digits through input, the wire, storage and output.
describe('an amount', () => {
  it('stands on the wire in the very digits that a client sent, and comes back with the decimals of its currency', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(amounts, { minLength: 20, maxLength: 20 }), async (values) => {
        const made = await Promise.all(values.map(({ value, currency }) => madeFor(value, currency)))
        expect(made).toEqual(
          values.map(({ value, currency }) => ({ wire: value, told: padded(value, EXPONENTS[currency]) })),
        )
      }),
      { numRuns: rounds({ few: 10, many: 1_000 }), endOnFailure: true },
    )
  })

  it('of a webhook is shown in its own digits, whether it was written as a number or as a text', async () => {
    const any = anyAmount(6)
    const query =
      'query P($id: ID!) { payment(id: $id) { amount { value } total { value } paid { value } refunded { value } } }'
    await fc.assert(
      fc.asyncProperty(fc.tuple(any, any, any, any), fc.boolean(), async ([amount, total, paid, refunded], quoted) => {
        const write = (value: string) => (quoted ? `"${value}"` : value)
        const id = randomUUID()
        const body = `{"uuid":"${id}","status":"received","currency":"USDC","amount":${write(amount)},"total":${write(total)},
          "paid_amount":${write(paid)},"refund_information":{"refund_amount":${write(refunded)}}}`
        expect((await deliver(defaultAddress(network), body)).status).toBe(200)
        const { data } = await network.ask(query, { id })
        expect(data['payment']).toEqual({
          amount: { value: padded(amount, 6) },
          total: { value: padded(total, 6) },
          paid: { value: padded(paid, 6) },
          refunded: { value: padded(refunded, 6) },
        })
      }),
      { numRuns: rounds({ few: 50, many: 5_000 }), endOnFailure: true },
    )
  })

  it.each([
    ['1e3', '1000.000000'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['9007199254740993', '9007199254740993.000000'],
    ['-0', '0.000000'],
  ])('that the payments API writes as %s is shown as %s, and never through a float', async (written, shown) => {
    const id = randomUUID()
    const body = `{"uuid":"${id}","status":"received","currency":"USDC","amount":${written}}`
    expect((await deliver(defaultAddress(network), body)).status).toBe(200)
    const { data } = await network.ask('query P($id: ID!) { payment(id: $id) { amount { value } } }', { id })
    expect(data['payment']).toEqual({ amount: { value: shown } })
  })

  it('may be a number in the document, or a whole one among the variables, as long as a float holds it', async () => {
    const query = `mutation M($key: ID!) { createPaymentLink(input: { idempotencyKey: $key, reference: "r", description: "Two tickets",
      amount: { value: 12.50, currency: "AUD" }, customer: { email: "ada@example.test", firstName: "Ada", lastName: "Payer" } }) {
      ... on CreatePaymentLinkSuccess { link { requestedAmount { value } } } } }`
    const { data } = await network.ask<Made>(query, { key: randomUUID() })
    expect(data.createPaymentLink.link?.requestedAmount.value).toBe('12.50')
    expect(posts().at(-1)).toContain('"amount":12.50,')
    expect(await madeFor(12, 'AUD')).toEqual({ wire: '12', told: '12.00' })
    expect(await madeFor(999_999_999_999_999, 'KRW')).toEqual({ wire: '999999999999999', told: '999999999999999' })
  })
})

describe('what is no amount', () => {
  it('is refused by the path of its field, and the payments API never hears of it', async () => {
    const before = posts().length
    const problems = [{ path: ['amount', 'value'] }]
    for (const value of ['', '1e3', '-1', '.5', '0', '0.00', '01', '1,000', ' 1', '１２', '1.001', '1234567890123456'])
      expect(await tryCreateLink(network, { amount: { value, currency: 'AUD' }, methodCode: null })).toMatchObject({
        __typename: 'PaymentsInvalidInputError',
        problems,
      })
    for (const value of [0.1, -0.5, 1e21, true, null, [], { value: '1' }, '9'.repeat(41), '9'.repeat(45_000)]) {
      const input = linkInput({ amount: { value, currency: 'AUD' }, methodCode: null })
      const { errors } = await network.ask(CREATE_LINK, { input })
      expect(errors?.[0]?.message).toContain('at "input.amount.value"')
    }
    expect(posts()).toHaveLength(before)
  })
})
