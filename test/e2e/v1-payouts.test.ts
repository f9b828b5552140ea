import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { newKey, payoutInput } from '../support/inputs.ts'
import { asked, made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'
import { PAYOUT_UPDATES, V1_SITES, v1PayeeInput, v1PayoutInput } from '../support/payouts.ts'
import { addressFor, deliveries } from '../support/webhooks.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND, env: V1_SITES })))
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

const PATH = '/v1/payouts'
const create = (over: Record<string, unknown> = {}) => mutate(network, 'createPayout', v1PayoutInput(over))
const uuidOf = (id: string) =>
  network.sandbox.control.state().payouts.find(({ number }) => `v1-${number}` === id)?.uuid ?? ''
const day = (fromNow: number) => new Date(Date.now() + fromNow * 24 * 3_600_000).toISOString().slice(0, 10)

const FIELDS = `id status totalAmount { value currency } refunded { value currency } failedTransactions method { code name }
  description reference site transactions { statusRaw payeeMasked accountNumberMasked payIdMasked bankCode }`

async function read(id: string, options: { token?: string } = {}) {
  const query = `query Payout($id: ID!) { payout(id: $id) { ${FIELDS} } }`
  const { data, errors } = await network.ask<{ payout: Record<string, unknown> | null }>(query, { id }, options)
  expect(errors).toBeUndefined()
  return data.payout
}

describe('a v1 payout in AUD', () => {
  it('is made by its method, and shown with its payees masked', async () => {
    const { id } = await made(create(), 'payout')
    expect(id).toMatch(/^v1-\d+$/)
    const token = await network.token({ scopes: ['payouts:read'] })
    expect(await read(id, { token })).toEqual({
      id,
      status: 'CREATED',
      totalAmount: { value: '100.00', currency: 'AUD' },
      refunded: { value: '0.00', currency: 'AUD' },
      failedTransactions: 0,
      method: { code: 'au_bank_v1_aud', name: 'Australian bank account or PayID (v1)' },
      description: 'Prizes of the week',
      reference: 'batch-7',
      site: 'aud',
      transactions: [
        {
          statusRaw: 'pending',
          payeeMasked: 'G*** O***',
          accountNumberMasked: '***445',
          payIdMasked: null,
          bankCode: '062-000',
        },
        {
          statusRaw: 'pending',
          payeeMasked: 'J*** O***',
          accountNumberMasked: null,
          payIdMasked: 'j***@example.test',
          bankCode: null,
        },
      ],
    })
    expect(network.log()).not.toMatch(/Grace|112233445|joan@/i)
  })

  it('is moved by its callbacks, which its stream tells', async () => {
    const { id } = await made(create({ transactions: [v1PayeeInput({ amount: '777.03' }), v1PayeeInput()] }), 'payout')
    const stream = await network.follow(PAYOUT_UPDATES, { id })
    expect(await stream.next()).toMatchObject({ kind: 'SNAPSHOT', payout: { id, status: 'CREATED' } })
    expect(await stream.next()).toMatchObject({ kind: 'CAUGHT_UP' })
    await network.sandbox.control.setPayoutStatus(uuidOf(id), 'completed')
    expect(await stream.next()).toMatchObject({ event: { source: 'WEBHOOK' }, payout: { id, status: 'COMPLETED' } })
    await stream.end()
    expect(await read(id)).toMatchObject({ refunded: { value: '777.03' }, failedTransactions: 1 })
    expect(await deliveries(network, [id])).toMatchObject([{ statusRaw: 'completed', disposition: 'APPLIED' }])
    const { deliveries: forged } = await network.sandbox.control.deliverPayout(uuidOf(id), { kind: 'forged' })
    expect(forged.map(({ status }) => status)).toEqual([401])
  })

  it('is listed beside those of v2, on record and at the payments API, and read there if it was made elsewhere', async () => {
    const [v1, v2] = [
      await made(create(), 'payout'),
      await made(mutate(network, 'createPayout', payoutInput()), 'payout'),
    ]
    const recorded = await network.ask('{ recordedPayouts(first: 2) { nodes { id } } }')
    expect(recorded.data).toEqual({ recordedPayouts: { nodes: [{ id: v2.id }, { id: v1.id }] } })
    const byMethod = '{ recordedPayouts(filter: { methodCode: "au_bank_v1_aud" }, first: 1) { nodes { id } } }'
    expect((await network.ask(byMethod)).data).toEqual({ recordedPayouts: { nodes: [{ id: v1.id }] } })
    const list = `{ payouts(from: "${day(-1)}", to: "${day(1)}", currency: "AUD") { nodes { id } totalCount } }`
    const { payouts } = (await network.ask<{ payouts: { nodes: { id: string }[]; totalCount: number } }>(list)).data
    expect(payouts.nodes.map(({ id }) => id)).toEqual(expect.arrayContaining([v1.id, v2.id]))
    expect(payouts.totalCount).toBe(network.sandbox.control.state().payouts.length)
    const elsewhere = await fetch(`${network.sandbox.url}${PATH}`, {
      method: 'POST',
      headers: { 'app-id': 'sandbox-aud', 'secret-key': 'sandbox-secret-aud', 'content-type': 'application/json' },
      body: JSON.stringify({
        payout_transaction_details: [{ payee: 'Ada', email: 'a@b.test', amount: 1, payid: 'a@b.test' }],
        description: 'Made elsewhere',
        webhook_notification: { endpoint_url: 'http://127.0.0.1:9/', authorization_header: 'Bearer a' },
      }),
    })
    const { id } = (await elsewhere.json()) as { id: number }
    expect(await read(`v1-${id}`)).toMatchObject({ description: 'Made elsewhere', site: null })
    expect(await read('v1-1')).toBeNull()
  })

  it('whose answer was lost is found by its webhook address, and never sent again', async () => {
    const input = v1PayoutInput()
    const before = asked(network, 'POST', PATH)
    network.sandbox.control.addFault({ method: 'POST', path: PATH, answer: 'drop-after' })
    expect(await mutate(network, 'createPayout', input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    const orphan = network.sandbox.control.state().payouts.at(-1)
    // The search needs no list but its own.
    network.sandbox.control.addFault({ method: 'GET', path: '/v2/payouts/all', answer: { status: 404 } })
    expect(await mutate(network, 'createPayout', input)).toMatchObject({
      replayed: true,
      payout: { id: `v1-${orphan?.number}` },
    })
    expect(asked(network, 'POST', PATH) - before).toBe(1)
  })

  it('whose callback comes before its answer is found without a search', async () => {
    const input = v1PayoutInput()
    network.sandbox.control.addFault({ method: 'POST', path: PATH, answer: 'drop-after' })
    expect(await mutate(network, 'createPayout', input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    const orphan = network.sandbox.control.state().payouts.at(-1)
    await network.sandbox.control.setPayoutStatus(orphan?.uuid ?? '', 'processing')
    const before = asked(network, 'GET', `${PATH}/`)
    const payout = { id: `v1-${orphan?.number}`, status: 'PROCESSING' }
    expect(await mutate(network, 'createPayout', input)).toMatchObject({ replayed: true, payout })
    expect(asked(network, 'GET', `${PATH}/`)).toBe(before)
  })

  it.each([
    ['with the name of a method', { payout_method_name: 'au_bank_aud' }, 200],
    ['with an unreadable number', { id: 'seven' }, 400],
  ])(
    'is never recorded as one of v2, whose answer was lost and whose callback comes %s',
    async (_what, over, status) => {
      const input = v1PayoutInput()
      network.sandbox.control.addFault({ method: 'POST', path: PATH, answer: 'drop-after' })
      expect(await mutate(network, 'createPayout', input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
      const number = network.sandbox.control.state().payouts.at(-1)?.number
      const headers = { 'app-id': 'sandbox-aud', 'secret-key': 'sandbox-secret-aud' }
      const record = await fetch(`${network.sandbox.url}${PATH}/detail?id=${number}`, { headers })
      const body = (await record.json()) as { webhook_notification: { endpoint_url: string } }
      const { url, authorization } = addressFor(body.webhook_notification.endpoint_url, 'payout')
      const callback = { method: 'POST', headers: { authorization, 'content-type': 'application/json' } }
      expect((await fetch(url, { ...callback, body: JSON.stringify({ ...body, ...over }) })).status).toBe(status)
      expect(await mutate(network, 'createPayout', input)).toMatchObject({ payout: { id: `v1-${number}` } })
    },
  )

  it('of which there is no trace is never sent again', async () => {
    const input = v1PayoutInput()
    const before = asked(network, 'POST', PATH)
    network.sandbox.control.addFault({ method: 'POST', path: PATH, answer: 'reset' })
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await mutate(network, 'createPayout', input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    expect(asked(network, 'POST', PATH) - before).toBe(1)
  })

  it('cannot be cancelled, and nothing is sent for it', async () => {
    const { id } = await made(create({ scheduledAt: `${day(2)}T00:00:00.000Z` }), 'payout')
    const sent = () => asked(network, 'POST', '/v2/payouts/cancel_scheduled')
    const before = sent()
    expect(await mutate(network, 'cancelScheduledPayout', { idempotencyKey: newKey(), id })).toMatchObject({
      __typename: 'PaymentsInvalidInputError',
      problems: [{ path: ['id'] }],
    })
    expect(sent()).toBe(before)
  })
})

describe('the method of v1 payouts', () => {
  it('is in the list of a site that has them, with its fields', async () => {
    const query = `{ payoutMethods(currencies: ["AUD"]) { nodes { code kind } }
      payoutMethod(code: "au_bank_v1_aud") { requiredFields { name required } minAmount { value } banks { code } } }`
    expect((await network.ask(query)).data).toEqual({
      payoutMethods: {
        nodes: [
          { code: 'au_bank_aud', kind: 'BANK_TRANSFER' },
          { code: 'au_bank_v1_aud', kind: 'BANK_TRANSFER' },
        ],
      },
      payoutMethod: {
        requiredFields: ['payid', 'bsb', 'account_number', 'address'].map((name) => ({ name, required: false })),
        minAmount: null,
        banks: [],
      },
    })
  })

  it('is refused where no site has them, also while the payments API lists no methods; payouts that were made go on', async () => {
    const other = await startNetwork({ sandbox: BY_HAND, env: V1_SITES })
    onTestFinished(() => other.close())
    const { id } = await made(mutate(other, 'createPayout', v1PayoutInput()), 'payout')
    await other.restart(undefined, { UPSTREAM_SITES: JSON.stringify(other.sandbox.sites) })
    const { control } = other.sandbox
    control.addFault({ method: 'GET', path: '/v2/payouts/payout_methods', answer: { status: 503 }, times: 9 })
    expect(await mutate(other, 'createPayout', v1PayoutInput())).toMatchObject({
      __typename: 'PaymentsMethodUnavailableError',
      availableCodes: [],
    })
    const [payout] = control.state().payouts
    await control.setPayoutStatus(payout?.uuid ?? '', 'completed')
    const query = '{ recordedPayouts(first: 9) { nodes { id status } } }'
    expect((await other.ask(query)).data).toEqual({ recordedPayouts: { nodes: [{ id, status: 'COMPLETED' }] } })
  })
})
