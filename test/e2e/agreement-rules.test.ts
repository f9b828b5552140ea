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

/** One for each rule of the input object; the rules themselves are tested as functions. */
const CREATION: readonly Row[] = [
  ['limit.value', { limit: { value: '1.005', currency: 'AUD' } }],
  ['limit.currency', { limit: { value: '10', currency: 'JPY' } }],
  ['startDate', { startDate: '1999-12-31' }],
  ['clientTransactionId', { clientTransactionId: '' }],
  ['description', { description: 'four' }],
  ['reference', { reference: ' ' }],
  ['site', { site: 'no-such-site' }],
  ['site', { site: 'jpy' }],
  ['payer', { payer: { name: 'Ada Payer' } }],
  ['payer.name', named("Ada O'Payer")],
  ['payer.bankAccount.bsb', account({ bsb: '06200' })],
  ['payer.payId.value', alias('PHONE', '412345678')],
]

const AMENDMENT: readonly Row[] = [
  ['limit.value', { limit: { value: '1.005', currency: 'AUD' } }],
  ['idempotencyKey', { idempotencyKey: '' }],
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
      __typename: 'PaymentsInvalidInputError',
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
    named(' Ada  Payer '),
    account({ bsb: '062 000', accountNumber: '12 345 678' }),
    alias('PHONE', '0412 345 678'),
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
