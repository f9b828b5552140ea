import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { ACCOUNT_NUMBER, agreementInput, amendmentInput } from '../support/inputs.ts'
import { mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'

let network: Network
let agreementId: string
beforeAll(async () => {
  network = await startNetwork({ sandbox: NO_ANSWER })
  agreementId = (await createAgreement(network)).id
})
afterAll(() => network.close())

type Row = readonly [path: string, over: Record<string, unknown>]

const account = (over: Record<string, unknown>) => ({
  payer: { name: 'Ada Payer', bankAccount: { bsb: '062-000', accountNumber: ACCOUNT_NUMBER, ...over } },
})
const alias = (type: string, value: string) => ({ payer: { name: 'Ada Payer', payId: { type, value } } })
const named = (name: string) => ({ payer: { name, bankAccount: { bsb: '062000', accountNumber: '1' } } })
const tooLong = (length: number) => 'x'.repeat(length + 1)

const TERMS: readonly Row[] = [
  ...['0', '0.00', '-1', '1e3', '1.005', '1,5', ''].map((value): Row => [
    'limit.value',
    { limit: { value, currency: 'AUD' } },
  ]),
  ['limit.currency', { limit: { value: '10', currency: 'JPY' } }],
  ['limit.currency', { limit: { value: '10', currency: 'NZD' } }],
  ['startDate', { startDate: '1999-12-31' }],
  ['startDate', { startDate: '2100-01-01' }],
]

const CREATION: readonly Row[] = [
  ...TERMS,
  ['clientTransactionId', { clientTransactionId: '' }],
  ['clientTransactionId', { clientTransactionId: ' ' }],
  ['clientTransactionId', { clientTransactionId: tooLong(90) }],
  ['description', { description: '' }],
  ['description', { description: 'four' }],
  ['description', { description: '    four    ' }],
  ['description', { description: tooLong(140) }],
  ['description', { description: 'two\nlines' }],
  ['externalId', { externalId: tooLong(255) }],
  ['externalId', { externalId: ' ' }],
  ['site', { site: 'no-such-site' }],
  ['site', { site: 'jpy' }],
  ...['', ' ', "Ada O'Payer", 'Ada-Payer', 'Ada\tPayer', 'Ada.', tooLong(255)].map((name): Row => [
    'payer.name',
    named(name),
  ]),
  ['payer', { payer: { name: 'Ada Payer' } }],
  ...['06200', '0620000', '06-2000', 'abcdef', ''].map((bsb): Row => ['payer.bankAccount.bsb', account({ bsb })]),
  ...['', 'abc', '12-34', '1'.repeat(21), '١٢'].map((accountNumber): Row => [
    'payer.bankAccount.accountNumber',
    account({ accountNumber }),
  ]),
  ...['nobody', 'a b@example.test', '@example.test', 'ada@example', ''].map((value): Row => [
    'payer.payId.value',
    alias('EMAIL', value),
  ]),
  ...['412345678', '+0412345678', '+61 412', '+61', 'ada@example.test'].map((value): Row => [
    'payer.payId.value',
    alias('PHONE', value),
  ]),
  ...['1234567890', '123456789012', '12 345 678 90', ''].map((value): Row => [
    'payer.payId.value',
    alias('ABN', value),
  ]),
]

const AMENDMENT: readonly Row[] = [
  ...TERMS,
  ['idempotencyKey', { idempotencyKey: '' }],
  ['idempotencyKey', { idempotencyKey: tooLong(255) }],
  ['id', { id: '' }],
]

/** Returns the result of `work`, and the number of calls of the payments API meanwhile. */
async function during<Answer>(work: () => Promise<Answer>): Promise<{ answer: Answer; calls: number }> {
  const before = network.sandbox.control.calls().length
  const answer = await work()
  return { answer, calls: network.sandbox.control.calls().length - before }
}

function refusal(path: string) {
  return {
    calls: 0,
    answer: {
      __typename: 'InvalidInputError',
      code: 'INVALID_INPUT',
      retryable: false,
      problems: [{ path: path.split('.'), message: expect.stringMatching(/\w/) }],
    },
  }
}

describe('createPaymentAgreement', () => {
  it.each(CREATION)('refuses what is wrong at %s, %j, without a call', async (path, over) => {
    const outcome = await during(() => mutate(network, 'createPaymentAgreement', agreementInput(over)))
    expect(outcome).toMatchObject(refusal(path))
  })

  it('names every problem at once, and repeats no value of the payer', async () => {
    const payer = { name: 'Ada!', bankAccount: { bsb: '1', accountNumber: 'x48151623' } }
    const { problems } = await mutate(network, 'createPaymentAgreement', agreementInput({ description: 'no', payer }))
    expect(problems?.map(({ path }) => path.join('.'))).toEqual([
      'description',
      'payer.name',
      'payer.bankAccount.bsb',
      'payer.bankAccount.accountNumber',
    ])
    expect(JSON.stringify(problems)).not.toMatch(/Ada!|x48151623/)
  })

  it.each(['2030-02-30', '31/01/2030', '2030-1-1', ''])(
    'refuses the date %j before anything else',
    async (startDate) => {
      const { answer, calls } = await during(() =>
        network.ask(
          'mutation M($input: CreatePaymentAgreementInput!) { createPaymentAgreement(input: $input) { __typename } }',
          { input: agreementInput({ startDate }) },
        ),
      )
      expect(answer.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }])
      expect(calls).toBe(0)
    },
  )

  it.each<Record<string, unknown>>([
    { clientTransactionId: 'y'.repeat(90) },
    named(' Ada  Payer '),
    account({ bsb: '062 000', accountNumber: '12 345 678' }),
    alias('PHONE', '0412 345 678'),
    alias('ABN', '51 824 753 556'),
    { description: 'fives' },
    { description: 'x'.repeat(140) },
    { externalId: 'x'.repeat(255) },
    { startDate: '2024-02-29' },
    { limit: { value: '0.01', currency: 'AUD' } },
    { site: 'aud' },
    named('Zoë Ōta 3'),
    account({ bsb: '062000', accountNumber: '1'.repeat(9) }),
    alias('EMAIL', 'ada@example.test'),
    alias('PHONE', '+61-412345678'),
    alias('ABN', '12345678901'),
  ])('takes %j', async (over) => {
    const outcome = await during(() => mutate(network, 'createPaymentAgreement', agreementInput(over)))
    expect(outcome).toMatchObject({ calls: 1, answer: { __typename: 'PaymentAgreementSuccess', replayed: false } })
  })
})

describe('amendPaymentAgreement', () => {
  it.each(AMENDMENT)('refuses what is wrong at %s, %j, without a call', async (path, over) => {
    const outcome = await during(() => mutate(network, 'amendPaymentAgreement', amendmentInput(agreementId, over)))
    expect(outcome).toMatchObject(refusal(path))
  })
})
