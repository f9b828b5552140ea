import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  AGREEMENT_FREQUENCIES,
  AGREEMENT_PURPOSES,
  AMOUNT_RULES,
  type AmountRule,
} from '../../src/domain/agreements/agreement-report.ts'
import { createAgreement, NO_ANSWER, readAgreement, searchAgreements } from '../support/agreements.ts'
import { ACCOUNT_NUMBER, agreementInput, ALIAS, amendmentInput, newKey } from '../support/inputs.ts'
import { asked, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'

let network: Network
let now = Date.now()
beforeAll(async () => {
  network = await startNetwork({ sandbox: NO_ANSWER, clock: () => new Date(now) })
})
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

const PATH = '/v1/pay_to/payment_agreement'
const SEARCH = { method: 'GET', path: `${PATH}/search` }
const create = (input: Record<string, unknown>) => mutate(network, 'createPaymentAgreement', input)
const creations = () => asked(network, 'POST', PATH)

const WRAPPERS: Readonly<Record<AmountRule, string>> = {
  VARIABLE: 'variable_agreement_details_obj',
  FIXED: 'fixed_agreement_details_obj',
  USAGE_BASED: 'usage_bases_agreement_details_obj',
  BALLOON: 'balloon_agreement_details_obj',
}

/** Every rule with every frequency; every purpose occurs at least once. */
const KINDS = AMOUNT_RULES.flatMap((amountRule, row) =>
  AGREEMENT_FREQUENCIES.map((frequency, column) => ({
    amountRule,
    frequency,
    purpose: AGREEMENT_PURPOSES[(row * 3 + column) % AGREEMENT_PURPOSES.length],
  })),
)

describe('a new agreement', () => {
  it.each(KINDS)('by $amountRule, $frequency and for $purpose reaches the payments API as asked', async (kind) => {
    const input = agreementInput({ ...kind, reference: 'contract-1815' })
    const result = await create(input)
    expect(result).toMatchObject({
      __typename: 'PaymentAgreementSuccess',
      replayed: false,
      agreement: { ...kind, clientTransactionId: input['clientTransactionId'], status: 'CREATED', version: 1 },
    })
    const [sent] = await searchAgreements(network)
    expect(sent).toMatchObject({
      client_transaction_id: input['clientTransactionId'],
      limit_amount: 250.5,
      description: 'Membership of the club',
      external_id: 'contract-1815',
      payment_agreement_type: kind.purpose?.replace('_', ' '),
      payer_details: {
        name: 'Ada Payer',
        bank_account_details: { bsb: '062-000', account_number: ACCOUNT_NUMBER },
      },
    })
    expect(sent?.['agreement_details']).toEqual({
      [WRAPPERS[kind.amountRule]]: { start_date: '31/01/30', frequency: kind.frequency },
    })
    const { endpoint_url: address, authorization_header: secret } = sent?.payment_agreement_notification ?? {}
    expect(address).toMatch(new RegExp(`^${network.app.url}/webhooks/agreements/[\\w-]{16,}$`))
    expect(secret).toMatch(/.{32,}/)
  })

  it.each([
    [422, { errors: { message: 'client_transaction_id has already been taken' } }],
    [404, { errors: { message: 'no such payer' } }],
    [400, undefined],
  ])('that the payments API refuses with %i is refused for good', async (status, body) => {
    const input = agreementInput()
    const before = creations()
    network.sandbox.control.addFault({ method: 'POST', path: PATH, answer: { status, body } })
    const refusal = { __typename: 'PaymentsUpstreamRejectedError', httpStatus: status }
    expect(await create(input)).toMatchObject(refusal)
    expect(await create(input)).toMatchObject(refusal)
    expect(creations() - before).toBe(1)
  })
})

it('an input that breaks a rule is refused by its places, without a call or a value of the payer', async () => {
  const { id } = await createAgreement(network)
  const sent = () => creations() + asked(network, 'POST', `${PATH}/amendment`)
  const before = sent()
  const payer = { name: 'Ada!', bankAccount: { bsb: '1', accountNumber: 'x48151623' } }
  const limit = { value: '1.005', currency: 'AUD' }
  const refused = [
    await create(agreementInput({ description: 'no', payer })),
    await create(agreementInput({ site: 'jpy' })),
    await mutate(network, 'amendPaymentAgreement', amendmentInput(id, { limit })),
  ]
  expect(refused.map(({ problems }) => problems?.map(({ path }) => path.join('.')))).toEqual([
    ['description', 'payer.name', 'payer.bankAccount.bsb', 'payer.bankAccount.accountNumber'],
    ['site'],
    ['limit.value'],
  ])
  expect(JSON.stringify(refused)).not.toMatch(/Ada!|x48151623/)
  expect(sent()).toBe(before)
})

describe('an agreement whose creation was not answered', () => {
  const lose = async (answer: 'drop-after' | 'reset') => {
    const input = agreementInput()
    network.sandbox.control.addFault({ method: 'POST', path: PATH, answer })
    const before = creations()
    expect(await create(input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError', retryable: true })
    return { input, before }
  }
  const madeWith = (input: Record<string, unknown>) =>
    network.sandbox.control
      .state()
      .agreements.filter(({ clientTransactionId }) => clientTransactionId === input['clientTransactionId'])

  it('is found by the search of the payments API', async () => {
    const { input, before } = await lose('drop-after')
    const [made] = madeWith(input)
    expect(await create(input)).toMatchObject({ replayed: true, agreement: { id: made?.paymentAgreementId } })
    expect([creations() - before, madeWith(input).length]).toEqual([1, 1])
  })

  it('is found by its callback while the search does not answer', async () => {
    const { input, before } = await lose('drop-after')
    const [made] = madeWith(input)
    await network.sandbox.control.setAgreementStatus(made?.id ?? '', 'active')
    network.sandbox.control.addFault({ ...SEARCH, answer: { status: 503 }, times: 50 })
    expect(await create(input)).toMatchObject({ agreement: { id: made?.paymentAgreementId, status: 'ACTIVE' } })
    expect([creations() - before, madeWith(input).length]).toEqual([1, 1])
  })

  it('is not made twice, although the search does not answer for long', async () => {
    const { input, before } = await lose('drop-after')
    network.sandbox.control.addFault({ ...SEARCH, answer: { status: 503 }, times: 50 })
    expect(await create(input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    now += 10_001
    expect(await create(input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    network.sandbox.control.clearFaults()
    expect(await create(input)).toMatchObject({ replayed: true, agreement: { status: 'CREATED' } })
    expect([creations() - before, madeWith(input).length]).toEqual([2, 1])
  })

  it('and was not made is made for the same id, after ten seconds and not before', async () => {
    const { input, before } = await lose('reset')
    expect(await create(input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    expect(creations() - before).toBe(1)
    now += 10_001
    expect(await create(input)).toMatchObject({ replayed: false, agreement: { status: 'CREATED' } })
    expect([creations() - before, madeWith(input).length]).toEqual([2, 1])
  })
})

describe('an agreement as a part of the graph', () => {
  const ENTITY = `query Entity($representations: [_Any!]!) {
    _entities(representations: $representations) { ... on PaymentAgreement { id clientTransactionId status } }
  }`

  it('is found by either of its ids, with the right to read agreements', async () => {
    const { id, clientTransactionId } = await createAgreement(network, { clientTransactionId: String(Date.now()) })
    const __typename = 'PaymentAgreement'
    const representations = [
      { __typename, id },
      { __typename, clientTransactionId },
      { __typename, id, clientTransactionId: null },
      { __typename, id: null, clientTransactionId },
      { __typename, clientTransactionId: Number(clientTransactionId) },
      { __typename, id: 'agreement-0' },
    ]
    const whole = { id, clientTransactionId, status: 'CREATED' }
    const { data } = await network.ask(ENTITY, { representations })
    expect(data['_entities']).toEqual([whole, whole, whole, whole, whole, null])
    const stranger = await network.token({ scopes: ['payments:read'] })
    const refused = await network.ask(ENTITY, { representations }, { token: stranger })
    expect(refused.data['_entities']).toEqual(representations.map(() => null))
  })

  it('is one of the list, by its status', async () => {
    const { id } = await createAgreement(network)
    const { serviceId } = (await readAgreement(network, id)) ?? { serviceId: '' }
    await network.sandbox.control.setAgreementStatus(serviceId, 'failed')
    const list = async (status: string) => {
      const { data } = await network.ask<{ paymentAgreements: { nodes: { id: string }[] } }>(
        `{ paymentAgreements(first: 100, filter: { statuses: [${status}] }) { nodes { id } } }`,
      )
      return data.paymentAgreements.nodes.map((node) => node.id)
    }
    expect(await list('FAILED')).toContain(id)
    expect(await list('CREATED')).not.toContain(id)
  })
})

describe('the payer of an agreement', () => {
  it('is masked, shown to those with the right alone, and nowhere kept in full', async () => {
    const reference = newKey()
    const bankAccount = { bsb: '062-000', accountNumber: ACCOUNT_NUMBER }
    const payer = { name: 'Ada Payer', bankAccount, payId: { value: ALIAS, type: 'EMAIL' } }
    const { id, serviceId } = await createAgreement(network, { payer, reference })
    await network.sandbox.control.setAgreementStatus(serviceId, 'active')

    const query = `query Payer($id: ID!) {
      paymentAgreement(id: $id) { id payer { name bsb accountNumberMasked payIdMasked payIdType } }
    }`
    const told = { bsb: '062-000', accountNumberMasked: '***234', payIdMasked: 'a***@example.test', payIdType: 'EMAIL' }
    expect((await network.ask(query, { id })).data['paymentAgreement']).toEqual({
      id,
      payer: { name: 'Ada Payer', ...told },
    })
    const token = await network.token({ scopes: ['agreements:read'] })
    const refused = await network.ask(query, { id }, { token })
    expect(refused).toMatchObject({
      data: { paymentAgreement: { id, payer: null } },
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    })

    const kept = readdirSync(network.folder).map((name) => readFileSync(join(network.folder, name)).toString('latin1'))
    const everything = kept.join('')
    expect(everything).toContain(reference)
    expect(network.log()).toContain(id)
    for (const secret of [ACCOUNT_NUMBER, ALIAS]) expect(everything + network.log()).not.toContain(secret)
  })
})
