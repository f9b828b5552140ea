import { stringifyExactJson } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it } from 'vitest'
import {
  type WireAgreementRequest,
  toAgreementBody,
  toAmendmentBody,
  toStatusChangeBody,
} from '../../../../../src/upstream/wire/wire-agreement.ts'

const webhook = { endpointUrl: 'https://merchant.test/webhooks/agreements/r1', authorizationHeader: 'Bearer v1.k.abc' }
const terms = { limit: '5000.50', amountRule: 'FIXED', frequency: 'MONTHLY', startDate: '2024-07-15', webhook } as const
const request: WireAgreementRequest = {
  ...terms,
  clientTransactionId: 'order-17-mandate',
  description: 'Monthly rent',
  purpose: 'OTHER_SERVICE',
  payer: { name: 'Jo Payer', bankAccount: { bsb: '062-000', accountNumber: '123456789' } },
}

const textOf = (written: ReturnType<typeof toAgreementBody>) => stringifyExactJson('body' in written && written.body)

describe('toAgreementBody', () => {
  it('writes the documented body, and leaves out what was not given', () => {
    expect(textOf(toAgreementBody(request))).toBe(
      '{"client_transaction_id":"order-17-mandate","limit_amount":5000.50,"description":"Monthly rent",' +
        '"payment_agreement_type":"OTHER_SERVICE",' +
        '"agreement_details":{"fixed_agreement_details_obj":{"start_date":"15/07/24","frequency":"MONTHLY"}},' +
        '"payer_details":{"name":"Jo Payer","bank_account_details":{"bsb":"062-000","account_number":"123456789"}},' +
        '"payment_agreement_notification":{"endpoint_url":"https://merchant.test/webhooks/agreements/r1","authorization_header":"Bearer v1.k.abc"}}',
    )
  })

  it.each([
    ['VARIABLE', 'variable_agreement_details_obj'],
    ['FIXED', 'fixed_agreement_details_obj'],
    ['USAGE_BASED', 'usage_bases_agreement_details_obj'],
    ['BALLOON', 'balloon_agreement_details_obj'],
  ] as const)('wraps the terms of a %s agreement in %s alone', (amountRule, wrapper) => {
    const details = JSON.parse(textOf(toAgreementBody({ ...request, amountRule }))).agreement_details
    expect(details).toEqual({ [wrapper]: { start_date: '15/07/24', frequency: 'MONTHLY' } })
  })

  it('sends an alias alone, or both', () => {
    const payId = { value: 'jo@payer.test', type: 'EMAIL' } as const
    const alone = toAgreementBody({
      ...request,
      payer: { name: 'Jo', bankAccount: null, payId },
      reference: 'tenant-9',
    })
    expect(JSON.parse(textOf(alone))).toMatchObject({ external_id: 'tenant-9' })
    expect(JSON.parse(textOf(alone)).payer_details).toEqual({
      name: 'Jo',
      pay_id_details: { pay_id: 'jo@payer.test', pay_id_type: 'EMAIL' },
    })
    const both = toAgreementBody({ ...request, payer: { ...request.payer, payId } })
    expect(Object.keys(JSON.parse(textOf(both)).payer_details)).toEqual([
      'name',
      'bank_account_details',
      'pay_id_details',
    ])
  })

  it.each<[string, Partial<WireAgreementRequest>, string]>([
    ['a limit that is no decimal', { limit: '1e3' }, 'limit_amount'],
    ['a day that is none', { startDate: '2023-02-29' }, 'agreement_details.fixed_agreement_details_obj.start_date'],
    ['neither account nor alias', { payer: { name: 'Jo Payer' } }, 'payer_details'],
    ['a name with a hyphen', { payer: { ...request.payer, name: 'Jo-Ann' } }, 'payer_details.name'],
    [
      'a bsb of five digits',
      { payer: { name: 'Jo', bankAccount: { bsb: '06200', accountNumber: '1' } } },
      'payer_details.bank_account_details.bsb',
    ],
    [
      'a callback over plain http',
      { webhook: { ...webhook, endpointUrl: 'http://merchant.test/' } },
      'payment_agreement_notification.endpoint_url',
    ],
    [
      'a callback without authorisation',
      { webhook: { ...webhook, authorizationHeader: '' } },
      'payment_agreement_notification.authorization_header',
    ],
  ])('refuses %s and names only the place', (_name, change, place) => {
    expect(toAgreementBody({ ...request, ...change })).toEqual({ faults: [place] })
  })
})

describe('toAmendmentBody', () => {
  it('names the agreement by its number', () => {
    expect(textOf(toAmendmentBody({ ...terms, serviceId: '9007199254740993' }))).toBe(
      '{"id":9007199254740993,"limit_amount":5000.50,' +
        '"agreement_details":{"fixed_agreement_details_obj":{"start_date":"15/07/24","frequency":"MONTHLY"}},' +
        '"payment_agreement_notification":{"endpoint_url":"https://merchant.test/webhooks/agreements/r1","authorization_header":"Bearer v1.k.abc"}}',
    )
  })

  it.each(['', '007', '-1', '1.5', 'x', '1'.repeat(21)])('refuses the number %o', (serviceId) => {
    expect(toAmendmentBody({ ...terms, serviceId })).toEqual({ faults: ['id'] })
  })
})

describe('toStatusChangeBody', () => {
  it.each(['active', 'suspended', 'cancelled'] as const)('asks for %s', (status) => {
    expect(textOf(toStatusChangeBody({ serviceId: '4', status }))).toBe(`{"id":4,"status":"${status}"}`)
  })

  it('does not ask for a status that is not the merchant’s to give', () => {
    expect(toStatusChangeBody({ serviceId: '4', status: 'failed' as 'active' })).toEqual({ faults: ['status'] })
  })
})
