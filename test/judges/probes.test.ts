import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRODUCTION, startNetwork, type Network } from '../support/network.ts'
import { PROBES, type Endpoint } from './probes.ts'

const GUARDED = {
  ...PRODUCTION,
  ROUTER_SECRETS: 'router-secret-of-the-tests-0123456789abcdef',
}
/** A mutation that has an effect without a token and without a call of the payments API. */
const MUTATION = 'mutation { refreshPayment(id: "8d8a6ec2-64a4-4ad0-9a5c-3a6b4c4dd1f3") { __typename } }'

let network: Network
beforeAll(async () => void (network = await startNetwork({ env: GUARDED })))
afterAll(() => network.close())

const inProduction = (): Endpoint => ({
  url: `${network.app.url}/graphql`,
  query: '{ paymentCurrencies { code } }',
  mutation: MUTATION,
  misspelt: { query: '{ paymentCurrencie { code } }', name: 'paymentCurrencies' },
})

// promise(checks): The checks of graphql-cop find nothing in production.
describe.each(PROBES)('the probe for $name', ({ finds }) => {
  it('finds nothing in production', async () => {
    expect(await finds(inProduction())).toBe(false)
  })
})

describe('what the probes are given', () => {
  it('is answered when it is asked as it should be', async () => {
    const { url, query } = inProduction()
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) })
    expect(await response.json()).toMatchObject({ data: { paymentCurrencies: expect.any(Array) } })
  })
})
