import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { settle } from '../support/deliveries.ts'
import { newKey, payeeInput, payoutInput } from '../support/inputs.ts'
import { asked, made, mutate, PAYOUT_FIELDS, type PayoutNode } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'
import { deliveries } from '../support/webhooks.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

const PATH = '/v2/payouts'
const WITHOUT_BSB = { account_number: '112233445', account_name: 'Grace Payee' }
const create = (over: Record<string, unknown> = {}) => mutate(network, 'createPayout', payoutInput(over))
const cancel = (id: string, key = newKey()) => mutate(network, 'cancelScheduledPayout', { idempotencyKey: key, id })
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, '.000')
const day = (fromNow: number) => new Date(Date.now() + fromNow * 24 * 3_600_000).toISOString().slice(0, 10)

async function read(id: string): Promise<PayoutNode | null> {
  const { data } = await network.ask<{ payout: PayoutNode | null }>(
    `query Payout($id: ID!) { payout(id: $id) { ${PAYOUT_FIELDS} } }`,
    { id },
  )
  return data.payout
}

describe('payout methods', () => {
  it('are those of the currencies that are asked for', async () => {
    const { data } = await network.ask(
      '{ payoutMethods(currencies: ["AUD", "PHP"]) { nodes { code currency kind provider } stale unavailable } }',
    )
    expect(data['payoutMethods']).toEqual({
      nodes: [
        { code: 'au_bank_aud', currency: 'AUD', kind: 'BANK_TRANSFER', provider: null },
        { code: 'ph_bank_php', currency: 'PHP', kind: 'BANK_TRANSFER', provider: null },
        { code: 'ph_bank_maya_php', currency: 'PHP', kind: 'BANK_TRANSFER', provider: 'maya' },
        { code: 'ph_ewallet_gcash_php', currency: 'PHP', kind: 'EWALLET', provider: 'gcash' },
      ],
      stale: false,
      unavailable: [],
    })
  })

  it('tell one by one their names, limits, fields and banks', async () => {
    const { data } = await network.ask(
      `{ au: payoutMethod(code: "au_bank_aud") { ...Needs } vn: payoutMethod(code: "vn_bank_vnd") { ...Needs } }
       fragment Needs on PayoutMethod { name minAmount { value currency } maxAmount { value currency } requiredFields { name required } banks { code name shortName } }`,
    )
    const fields = (...names: string[]) => names.map((name) => ({ name, required: true }))
    expect(data).toEqual({
      au: {
        name: 'Bank transfer',
        minAmount: { value: '1.00', currency: 'AUD' },
        maxAmount: { value: '100000.00', currency: 'AUD' },
        requiredFields: fields('account_number', 'account_name', 'bsb'),
        banks: [],
      },
      vn: {
        name: 'Bank transfer',
        minAmount: { value: '50000', currency: 'VND' },
        maxAmount: { value: '500000000', currency: 'VND' },
        requiredFields: fields('account_number', 'account_name', 'bank_code'),
        banks: [
          { code: '970436', name: 'Vietcombank', shortName: 'VCB' },
          { code: '970415', name: 'VietinBank', shortName: 'CTG' },
          { code: '970418', name: 'BIDV', shortName: null },
        ],
      },
    })
  })

  it('are found one by one, and in the graph with the right to read payouts alone', async () => {
    const query = '{ payoutMethod(code: "jp_bank_jpy") { code } other: payoutMethod(code: "jp_none_jpy") { code } }'
    expect((await network.ask(query)).data).toEqual({ payoutMethod: { code: 'jp_bank_jpy' }, other: null })
    const entity = `{ _entities(representations: [{ __typename: "PayoutMethod", code: "jp_bank_jpy" }]) {
      ... on PayoutMethod { code }
    } }`
    expect((await network.ask(entity)).data['_entities']).toEqual([{ code: 'jp_bank_jpy' }])
    const token = await network.token({ scopes: ['payments:read'] })
    expect((await network.ask(entity, {}, { token })).data['_entities']).toEqual([null])
  })
})

describe('a batch of payouts', () => {
  it('is made with all its transactions, and read by its id', async () => {
    const result = await create()
    expect(result).toMatchObject({
      __typename: 'PayoutSuccess',
      replayed: false,
      payout: {
        status: 'CREATED',
        totalAmount: { value: '100.00', currency: 'AUD' },
        method: { code: 'au_bank_aud' },
        description: 'Prizes of the week',
        reference: 'batch-7',
        scheduledAt: null,
        transactions: [
          { amount: { value: '40.25', currency: 'AUD' }, statusRaw: 'pending', payee: 'Grace Payee' },
          { amount: { value: '59.75', currency: 'AUD' }, statusRaw: 'pending', payee: 'Joan Payee' },
        ],
      },
    })
    const id = result.payout?.id ?? ''
    expect(await read(id)).toEqual(result.payout)
    expect(await read('no-such-payout')).toBeNull()
    await network.sandbox.control.advance(2 * (BY_HAND.paceMs / 1000))
    expect(await read(id)).toMatchObject({ status: 'COMPLETED', transactions: [{ statusRaw: 'settled' }, {}] })
  })

  it('is moved by its callbacks, and shown from its record without a call', async () => {
    const { id } = await made(create(), 'payout')
    await network.sandbox.control.setPayoutStatus(id, 'processing')
    await network.sandbox.control.setPayoutStatus(id, 'completed')
    const sent = network.sandbox.control.webhooks().filter(({ subject }) => subject === id)
    expect(sent.map(({ attempts }) => attempts.map(({ status }) => status))).toEqual([[200], [200]])
    expect(await deliveries(network, [id])).toMatchObject([
      { statusRaw: 'completed', disposition: 'APPLIED', event: { id: `payout:${id}.3`, toStatus: 'completed' } },
      { statusRaw: 'processing', disposition: 'APPLIED', event: { id: `payout:${id}.2`, toStatus: 'processing' } },
    ])
    const before = asked(network, 'GET', `${PATH}/detail`)
    expect(await read(id)).toMatchObject({ status: 'COMPLETED', transactions: [{ statusRaw: 'settled' }, {}] })
    expect(asked(network, 'GET', `${PATH}/detail`)).toBe(before)
    const { deliveries: forged } = await network.sandbox.control.deliverPayout(id, { kind: 'forged' })
    expect(forged.map(({ status }) => status)).toEqual([401])
    expect(await deliveries(network, [id])).toHaveLength(2)
  })

  it('shows its payees to those with the right alone', async () => {
    const { id } = await made(create(), 'payout')
    const token = await network.token({ scopes: ['payouts:read'] })
    const query = 'query P($id: ID!) { payout(id: $id) { id transactions { payee } } }'
    expect(await network.ask(query, { id }, { token })).toMatchObject({
      data: { payout: { id, transactions: [{ payee: null }, { payee: null }] } },
      errors: [{ extensions: { code: 'FORBIDDEN' } }, {}],
    })
    expect(network.log()).not.toMatch(/Grace|112233445/)
  })

  it.each<[string, Record<string, unknown>]>([
    ['transactions.1.firstName', { transactions: [payeeInput(), payeeInput({ firstName: "O'Hara" })] }],
    ['transactions.0.amount', { transactions: [payeeInput({ amount: '100000.01' })] }],
    ['transactions.0.methodFields.bsb', { transactions: [payeeInput({ methodFields: WITHOUT_BSB })] }],
    ['scheduledAt', { scheduledAt: '2020-01-01T00:00:00.000Z' }],
    ['methodCode', { methodCode: 'jp_bank_jpy' }],
    ['currency', { currency: 'XYZ' }],
    ['site', { site: 'jpy' }],
  ])('with something wrong at %s is refused without being made', async (path, over) => {
    const before = asked(network, 'POST', PATH)
    expect(await create(over)).toMatchObject({
      __typename: 'PaymentsInvalidInputError',
      problems: [{ path: path.split('.') }],
    })
    expect(asked(network, 'POST', PATH)).toBe(before)
  })

  it('by a method that is not enabled is refused with those that are', async () => {
    expect(await create({ methodCode: 'au_wallet_aud' })).toMatchObject({
      __typename: 'PaymentsMethodUnavailableError',
      availableCodes: ['au_bank_aud'],
    })
  })

  it('is made once for one key, and read back again for the same input', async () => {
    const input = payoutInput()
    const before = asked(network, 'POST', PATH)
    const results = await Promise.all(Array.from({ length: 20 }, () => mutate(network, 'createPayout', input)))
    expect(results.filter(({ replayed }) => replayed === false)).toHaveLength(1)
    const id = results[0]?.payout?.id ?? ''
    await network.sandbox.control.setPayoutStatus(id, 'processing')
    expect(await mutate(network, 'createPayout', input)).toMatchObject({
      replayed: true,
      payout: { id, status: 'PROCESSING' },
    })
    expect(await mutate(network, 'createPayout', { ...input, description: 'Something else' })).toMatchObject({
      __typename: 'PaymentsIdempotencyConflictError',
    })
    expect(asked(network, 'POST', PATH) - before).toBe(1)
  })

  it('whose answer was lost is found by its webhook address, and never sent again', async () => {
    const input = payoutInput()
    const before = asked(network, 'POST', PATH)
    network.sandbox.control.addFault({ method: 'POST', path: PATH, answer: 'drop-after' })
    expect(await mutate(network, 'createPayout', input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    const orphan = network.sandbox.control.state().payouts.at(-1)
    await create()
    expect(await mutate(network, 'createPayout', input)).toMatchObject({ replayed: true, payout: { id: orphan?.uuid } })
    expect(asked(network, 'POST', PATH) - before).toBe(2)
  })

  it('of which there is no trace is never sent again', async () => {
    const input = payoutInput()
    const before = asked(network, 'POST', PATH)
    network.sandbox.control.addFault({ method: 'POST', path: PATH, answer: 'reset' })
    for (let attempt = 0; attempt < 3; attempt++)
      expect(await mutate(network, 'createPayout', input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    expect(asked(network, 'POST', PATH) - before).toBe(1)
  })
})

describe('a scheduled payout', () => {
  it('waits for its time, and is cancelled once', async () => {
    const scheduledAt = inAnHour()
    const { id, status } = await made(create({ scheduledAt }), 'payout')
    expect(['CREATED', 'SCHEDULED']).toContain(status)
    expect(await read(id)).toMatchObject({ status: 'SCHEDULED', scheduledAt })
    const before = asked(network, 'POST', `${PATH}/cancel_scheduled`)
    const key = newKey()
    expect(await cancel(id, key)).toMatchObject({ replayed: false, payout: { id, status: 'EXPIRED' } })
    expect(await cancel(id, key)).toMatchObject({ replayed: true, payout: { id, status: 'EXPIRED' } })
    expect(await cancel(id)).toMatchObject({ __typename: 'PaymentsStateConflictError', statusRaw: 'expired' })
    expect(asked(network, 'POST', `${PATH}/cancel_scheduled`) - before).toBe(1)
  })

  it('is not cancelled when it is not scheduled, or is nobody’s', async () => {
    const { id } = await made(create(), 'payout')
    const before = asked(network, 'POST', `${PATH}/cancel_scheduled`)
    expect(await cancel(id)).toMatchObject({ __typename: 'PaymentsStateConflictError', statusRaw: 'created' })
    expect(await cancel('no-such-payout')).toMatchObject({ __typename: 'PaymentsNotFoundError' })
    expect(asked(network, 'POST', `${PATH}/cancel_scheduled`)).toBe(before)
  })

  it('whose cancellation was not answered is settled by a read', async () => {
    const { id } = await made(create({ scheduledAt: inAnHour() }), 'payout')
    const before = asked(network, 'POST', `${PATH}/cancel_scheduled`)
    network.sandbox.control.addFault({ method: 'POST', path: `${PATH}/cancel_scheduled`, answer: 'drop-after' })
    const key = newKey()
    expect(await cancel(id, key)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    expect(await cancel(id, key)).toMatchObject({ payout: { id, status: 'EXPIRED' } })
    expect(asked(network, 'POST', `${PATH}/cancel_scheduled`) - before).toBe(1)
  })
})

describe('a cancellation whose result could not be read', () => {
  it.each([429, 401, 404, 422, 503])('because of %i was made, and is settled by the next read', async (status) => {
    const { id } = await made(create({ scheduledAt: inAnHour() }), 'payout')
    // The webhooks of the payout are followed by reads, which get some of these answers too.
    await settle(network)
    const before = asked(network, 'POST', `${PATH}/cancel_scheduled`)
    const detail = { method: 'GET', path: `${PATH}/detail` }
    // The first read is answered normally.
    network.sandbox.control.addFault({ ...detail, answer: { delayMs: 0 } })
    network.sandbox.control.addFault({ ...detail, answer: { status }, times: 1_000 })
    const key = newKey()
    expect(await cancel(id, key)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    network.sandbox.control.clearFaults()
    expect(await cancel(id, key)).toMatchObject({ replayed: true, payout: { id, status: 'EXPIRED' } })
    expect(asked(network, 'POST', `${PATH}/cancel_scheduled`) - before).toBe(1)
  })
})

describe('a cancellation that never arrived', () => {
  it('is not taken for done when the payout has gone on', async () => {
    const { id } = await made(create({ scheduledAt: inAnHour() }), 'payout')
    const key = newKey()
    network.sandbox.control.addFault({ method: 'POST', path: `${PATH}/cancel_scheduled`, answer: 'reset' })
    expect(await cancel(id, key)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    for (const status of ['processing', 'completed'] as const) {
      await network.sandbox.control.setPayoutStatus(id, status)
      expect(await cancel(id, key)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    }
    expect(await cancel(id)).toMatchObject({ __typename: 'PaymentsStateConflictError', statusRaw: 'completed' })
  })
})

describe('the list of payouts', () => {
  const list = (variables: Record<string, unknown>) =>
    network.ask<{ payouts: { nodes: { id: string }[]; totalCount: number } }>(
      `query Payouts($from: LocalDate!, $to: LocalDate!, $first: Int! = 20, $currency: CurrencyCode) {
        payouts(from: $from, to: $to, first: $first, currency: $currency) { nodes { id version } totalCount }
      }`,
      variables,
    )

  it('holds those of the days, of one currency or of all, and ours as they are on record', async () => {
    const { id } = await made(create(), 'payout')
    const node = { id, version: 1 }
    const span = { from: day(-1), to: day(1) }
    const { payouts } = (await list({ ...span, currency: 'AUD' })).data
    expect(payouts.nodes[0]).toEqual(node)
    expect(payouts).toMatchObject({ totalCount: network.sandbox.control.state().payouts.length })
    expect((await list(span)).data.payouts.nodes).toContainEqual(node)
    expect((await list({ ...span, currency: 'JPY' })).data.payouts.nodes).toEqual([])
    expect((await list({ from: day(-9), to: day(-2), currency: 'AUD' })).data.payouts.nodes).toEqual([])
  })

  it.each([
    { from: '2026-02-01', to: '2026-01-31' },
    { from: '2024-01-01', to: '2026-01-01' },
    { from: '2026-01-01', to: '2026-01-02', first: 0 },
  ])('refuses %j without a call', async (span) => {
    const before = asked(network, 'GET', `${PATH}/all`)
    expect((await list(span)).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }])
    expect(asked(network, 'GET', `${PATH}/all`)).toBe(before)
  })
})
