import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'

const ROUTER_SECRET = 'secret-of-the-router-1'
const CURRENCIES = '{ paymentCurrencies { code exponent } }'
const BAD = '{ payinMethods(amount: { value: "1.001", currency: "AUD" }) { stale } }'

let network: Network
beforeAll(async () => void (network = await startNetwork({ env: { ROUTER_SECRETS: ROUTER_SECRET } })))
afterAll(() => network.close())

const ROUTER = { 'x-router-secret': ROUTER_SECRET }
const ASKED = { 'apollo-federation-include-trace': 'ftv1' }

async function traced(query: string, headers: Record<string, string>) {
  const response = await fetch(`${network.app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  })
  const { extensions, ...answer } = (await response.json()) as {
    data: unknown
    errors?: { message: string }[]
    extensions?: { ftv1?: string }
  }
  const trace = extensions?.ftv1
  return {
    answer,
    cached: response.headers.get('cache-control'),
    trace: trace === undefined ? null : Buffer.from(trace, 'base64').toString('latin1'),
  }
}

describe('a trace for the router', () => {
  it('comes with the answer when it asks, and names the fields', async () => {
    const { trace, answer, cached } = await traced(CURRENCIES, { ...ROUTER, ...ASKED })
    for (const name of ['paymentCurrencies', 'code', 'exponent', 'PaymentCurrency!']) expect(trace).toContain(name)
    expect(cached).toBe('private, no-store')
    const plain = await traced(CURRENCIES, ROUTER)
    expect(plain).toEqual({ answer, cached: 'public, max-age=3600', trace: null })
  })

  it('tells where an error was, and not what it says', async () => {
    const { trace, answer } = await traced(BAD, { ...ROUTER, ...ASKED })
    const message = answer.errors?.[0]?.message ?? ''
    expect(message).not.toBe('')
    expect(trace).toContain('<masked>')
    expect(trace).not.toContain(message)
    expect(trace).not.toContain('1.001')
  })

  it.each([{}, { 'x-router-secret': 'wrong' }])('is for nobody else: %j', async (headers) => {
    const { trace, answer } = await traced(CURRENCIES, { ...headers, ...ASKED })
    expect(trace).toBeNull()
    expect(answer.data).toHaveProperty('paymentCurrencies')
  })
})
