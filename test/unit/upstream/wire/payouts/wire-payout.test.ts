import * as fc from 'fast-check'
import { parseExactJson, stringifyExactJson } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it } from 'vitest'
import { toCancellationBody } from '../../../../../src/upstream/wire/values/wire-fields.ts'
import { type WirePayoutRequest, toPayoutBody } from '../../../../../src/upstream/wire/wire-payout-request.ts'
import {
  readPayoutCallback,
  readPayoutReport,
  readV1PayoutReport,
} from '../../../../../src/upstream/wire/wire-payout.ts'
import { fixture } from '../../../../fixtures/upstream/read.ts'

describe('readPayoutReport', () => {
  it('reads the documented record, with the account of a payee masked', () => {
    const report = readPayoutReport(fixture('payout'))
    expect(report).toEqual({
      id: 'OHXTEF9M',
      statusRaw: 'scheduled',
      status: 'scheduled',
      totalAmount: '1000',
      totalRefund: null,
      failedTransactions: null,
      currency: 'PHP',
      methodCode: 'ph_bank_maya_php',
      description: 'Salaries of May',
      reference: '123',
      scheduledAt: '2023-04-01T00:00:00.000Z',
      errorCode: 'svc_PAYOUT1',
      errorMessage: 'Not enough balance',
      endpointUrl: 'https://merchant.test/webhooks/payouts/r1',
      transactions: [
        {
          id: 'PT8K2LM4',
          amount: '100.00',
          statusRaw: 'settled',
          errorMessage: null,
          createdAt: '2023-04-01T00:00:01.000Z',
        },
      ],
      payees: [
        {
          transactionId: 'PT8K2LM4',
          name: 'Ada Payee',
          accountNumberMasked: '***890',
          payIdMasked: null,
          bankCode: '600',
        },
      ],
    })
    expect(JSON.stringify(report)).not.toContain('1234567890')
  })

  it.each([
    ['created', 'created'],
    ['processing', 'processing'],
    ['scheduled', 'scheduled'],
    ['completed', 'completed'],
    ['expired', 'expired'],
    ['cancelled', null],
  ])('reads the status %s as %s, and keeps it raw', (statusRaw, status) => {
    expect(readPayoutReport({ uuid: 'P1', status: statusRaw })).toMatchObject({ statusRaw, status })
  })

  it('reads null where the body tells nothing', () => {
    const { id, statusRaw, status, transactions, payees, ...others } =
      readPayoutReport({ uuid: 'P1', status: 'created' }) ?? {}
    expect({ id, statusRaw, status, transactions, payees }).toEqual({
      id: 'P1',
      statusRaw: 'created',
      status: 'created',
      transactions: [],
      payees: [],
    })
    expect(new Set(Object.values(others))).toEqual(new Set([null]))
  })

  it('gives a transaction without a uuid the id of its place', () => {
    const payout_transactions = [{ amount: '1', payee: 'Ada' }, { uuid: 'T2', amount: '2' }, { amount: '3' }]
    const report = readPayoutReport({ uuid: 'P1', status: 'created', payout_transactions })
    expect(report?.transactions.map(({ id }) => id)).toEqual(['P1.1', 'T2', 'P1.3'])
    expect(report?.payees.map(({ transactionId, name }) => [transactionId, name])).toEqual([
      ['P1.1', 'Ada'],
      ['T2', null],
      ['P1.3', null],
    ])
  })

  it.each([[{ uuid: 'P1' }], [{ status: 'created' }], [{ uuid: 'a/b', status: 'created' }], [[]], [null], ['ok']])(
    'reads nothing from %o',
    (json) => {
      expect(readPayoutReport(json)).toBeNull()
    },
  )

  it('takes any body whatsoever without failing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.jsonValue()), (value, payout_transactions) => {
        const text = JSON.stringify({ uuid: 'P1', status: 'created', total_amount: value, payout_transactions })
        expect(readPayoutReport(parseExactJson(text))?.id).toBe('P1')
      }),
      { numRuns: 300 },
    )
  })
})

describe('the record of a v1 payout', () => {
  it('is read with its number, what came back, and its payees masked', () => {
    const report = readV1PayoutReport(fixture('v1-payout'))
    expect(report).toMatchObject({
      id: 'v1-4711',
      methodCode: 'au_bank_v1_aud',
      totalRefund: '40.25',
      failedTransactions: 1,
      payees: [
        { payIdMasked: 'a***@payee.test', accountNumberMasked: null },
        { payIdMasked: null, accountNumberMasked: '***445', bankCode: '062-000' },
      ],
    })
    expect(JSON.stringify(report)).not.toMatch(/ada@|112233445/)
  })

  it('is told by a callback from one of v2', () => {
    const plain = { uuid: 'P1', status: 'created' }
    const idOf = (over: Record<string, string | null>) =>
      readPayoutCallback(parseExactJson(JSON.stringify({ ...plain, ...over })))?.id
    expect(readPayoutCallback(fixture('v1-payout'))?.id).toBe('v1-4711')
    expect(readPayoutCallback(fixture('payout'))?.id).toBe('OHXTEF9M')
    expect(idOf({ id: '7' })).toBe('v1-7')
    expect(idOf({ id: '7', payout_method_name: 'au_bank_aud' })).toBe('P1')
    expect(idOf({ id: 'seven' })).toBe('P1')
    expect(idOf({ id: null })).toBe('P1')
    expect(idOf({ id: '7', payout_method_name: 'au_bank_aud', total_refund: '0' })).toBe('v1-7')
    expect(idOf({ id: null, payout_method_name: 'au_bank_aud', total_refund: '0' })).toBe('P1')
    for (const id of ['7.0', 'seven', '0', null]) expect(idOf({ id, total_failed_transactions: '0' })).toBeUndefined()
  })

  it('is none for any other body whatsoever', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, id) => {
        const text = JSON.stringify({ id, uuid: value, status: 'created', payout_transactions: value, payid: value })
        const read = readV1PayoutReport(parseExactJson(text))
        expect(read?.id ?? 'v1-1').toMatch(/^v1-[1-9]\d*$/)
      }),
      { numRuns: 300 },
    )
  })
})

const request: WirePayoutRequest = {
  currency: 'PHP',
  methodCode: 'ph_bank_maya_php',
  description: 'Salaries of May',
  transactions: [
    {
      firstName: 'Ada',
      lastName: 'Payee',
      email: 'ada@payee.test',
      amount: '100.10',
      methodFields: { account_number: '1234567890', bank_code: '600' },
    },
  ],
  webhook: { endpointUrl: 'https://merchant.test/webhooks/payouts/r1', authorizationHeader: 'Bearer v1.k.abc' },
}
const [payee] = request.transactions

const textOf = (written: ReturnType<typeof toPayoutBody>) => stringifyExactJson('body' in written && written.body)

describe('toPayoutBody', () => {
  it('leaves out what was not given', () => {
    expect(textOf(toPayoutBody(request))).toBe(
      '{"payout_transaction_details":[{"first_name":"Ada","last_name":"Payee","email":"ada@payee.test","amount":100.10,' +
        '"payout_method_params":{"account_number":"1234567890","bank_code":"600"}}],' +
        '"currency":"PHP","payout_method_name":"ph_bank_maya_php","description":"Salaries of May",' +
        '"webhook_notification":{"endpoint_url":"https://merchant.test/webhooks/payouts/r1","authorization_header":"Bearer v1.k.abc"}}',
    )
  })

  it('writes the rest under the names of the payments API', () => {
    const scheduledAt = new Date('2026-12-31T01:02:03.456Z')
    expect(JSON.parse(textOf(toPayoutBody({ ...request, scheduledAt, reference: 'batch-1' })))).toMatchObject({
      scheduled_at: '2026-12-31T01:02:03',
      external_id: 'batch-1',
    })
  })

  it.each<[string, Partial<WirePayoutRequest>, string]>([
    ['no payee', { transactions: [] }, 'payout_transaction_details'],
    ['an invalid date', { scheduledAt: new Date('never') }, 'scheduled_at'],
    [
      'a name with a space before it',
      { transactions: payee === undefined ? [] : [payee, { ...payee, firstName: ' Ada' }] },
      'payout_transaction_details.1.first_name',
    ],
    [
      'an amount that a float would change',
      { transactions: payee === undefined ? [] : [{ ...payee, amount: '9007199254740993' }] },
      'payout_transaction_details.0.amount',
    ],
  ])('refuses %s and names only the place', (_name, change, place) => {
    expect(toPayoutBody({ ...request, ...change })).toEqual({ faults: [place] })
  })
})

it('a cancellation names the batch, and nothing that is no uuid', () => {
  expect(textOf(toCancellationBody('OHXTEF9M'))).toBe('{"uuid":"OHXTEF9M"}')
  expect(toCancellationBody('a/b')).toEqual({ faults: ['uuid'] })
})
