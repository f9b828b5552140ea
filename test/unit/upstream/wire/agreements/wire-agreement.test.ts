import * as fc from 'fast-check'
import { type ExactJson, parseExactJson } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it } from 'vitest'
import { withoutSecretsOfAgreement } from '../../../../../src/upstream/wire/values/redact.ts'
import { readAgreementReport } from '../../../../../src/upstream/wire/wire-agreement.ts'
import { fixture } from '../../../../fixtures/upstream/read.ts'

const least = { payment_agreement_id: 'agreement-1', status: 'active' }

describe('readAgreementReport', () => {
  it.each<{ status: ExactJson; expected: string | null }>([
    { status: { status: 'pending' }, expected: 'pending' },
    { status: 'accepted', expected: 'accepted' },
    { status: { state: 'pending' }, expected: null },
    { status: { status: { code: '1' } }, expected: null },
    { status: null, expected: null },
  ])('reads what was answered to an amendment: $status', ({ status, expected }) => {
    const amended = fixture('agreement-amended') as { [key: string]: ExactJson }
    const told = { ...amended, payment_agreement_amendment_status: status }
    expect(readAgreementReport(told)).toMatchObject({ id: 'agreement-12345', amendmentStatusRaw: expected })
  })

  it('reads the documented object, and masks the payer', () => {
    expect(readAgreementReport(fixture('agreement-created'))).toEqual({
      id: 'agreement-12345',
      serviceId: '12345',
      clientTransactionId: 'order-17-mandate',
      reference: 'tenant-9',
      statusRaw: 'created',
      status: 'created',
      description: 'Monthly rent',
      limit: '5000.5',
      purposeRaw: 'OTHER SERVICE',
      purpose: 'OTHER_SERVICE',
      amountRule: 'VARIABLE',
      frequencyRaw: 'MONTHLY',
      frequency: 'MONTHLY',
      startDate: '2024-07-15',
      createdAt: '2024-01-01T00:00:00.000Z',
      amendmentStatusRaw: null,
      payer: {
        name: 'Jo Payer',
        bsb: '062-000',
        accountNumberMasked: '***789',
        payIdMasked: 'j***@payer.test',
        payIdType: 'EMAIL',
      },
    })
  })

  it('takes the answer to an amendment out of its wrapper', () => {
    expect(readAgreementReport(fixture('agreement-amended'))).toMatchObject({
      id: 'agreement-12345',
      serviceId: '12345',
      status: 'active',
      limit: '5000',
      amountRule: 'USAGE_BASED',
      payer: { bsb: null, accountNumberMasked: null, payIdMasked: '***678', payIdType: 'PHONE' },
    })
  })

  it('reads null where the body tells nothing', () => {
    const { id, statusRaw, status, payer, ...others } = readAgreementReport(least) ?? {}
    expect({ id, statusRaw, status }).toEqual({ id: 'agreement-1', statusRaw: 'active', status: 'active' })
    expect(new Set(Object.values({ ...others, ...payer }))).toEqual(new Set([null]))
  })

  it.each<[string, ExactJson]>([
    ['no id', { id: '4', status: 'active' }],
    ['an id that is a path', { ...least, payment_agreement_id: '../x' }],
    ['an id of 65 characters', { ...least, payment_agreement_id: 'x'.repeat(65) }],
    ['no status', { payment_agreement_id: 'agreement-1' }],
    ['a status that is a sentence of markup', { ...least, status: '<b>active</b>' }],
    ['a list', []],
    ['null', null],
  ])('reads nothing from a body with %s', (_name, json) => {
    expect(readAgreementReport(json)).toBeNull()
  })

  it.each([
    ['created', 'created'],
    ['active', 'active'],
    ['suspended', 'suspended'],
    ['cancelled', 'cancelled'],
    ['failed', 'failed'],
    ['ACTIVE', 'active'],
    ['paused', null],
  ])('reads the status %s as %s, and keeps it raw', (raw, status) => {
    expect(readAgreementReport({ ...least, status: raw })).toMatchObject({ statusRaw: raw, status })
  })

  it.each([
    ['DEPENDANT SUPPORT', 'DEPENDANT_SUPPORT'],
    ['DEPENDANT_SUPPORT', 'DEPENDANT_SUPPORT'],
    ['other service', 'OTHER_SERVICE'],
    ['TAX', 'TAX'],
    ['HOLIDAY', null],
  ])('reads the purpose %s as %s, and keeps it raw', (raw, purpose) => {
    expect(readAgreementReport({ ...least, payment_agreement_type: raw })).toMatchObject({ purposeRaw: raw, purpose })
  })

  it.each([
    ['variable_agreement_details_obj', 'VARIABLE'],
    ['fixed_agreement_details_obj', 'FIXED'],
    ['usage_bases_agreement_details_obj', 'USAGE_BASED'],
    ['balloon_agreement_details_obj', 'BALLOON'],
  ])('reads the terms in %s', (wrapper, amountRule) => {
    const agreement_details = { [wrapper]: { start_date: '31/12/99', frequency: 'adhoc' } }
    expect(readAgreementReport({ ...least, agreement_details })).toMatchObject({
      amountRule,
      frequencyRaw: 'adhoc',
      frequency: 'ADHOC',
      startDate: '2099-12-31',
    })
  })

  it('reads no terms from a wrapper that it does not know', () => {
    const agreement_details = { new_agreement_details_obj: { start_date: '31/12/99', frequency: 'ADHOC' } }
    expect(readAgreementReport({ ...least, agreement_details })).toMatchObject({ amountRule: null, startDate: null })
  })

  it.each([
    ['4', '4'],
    ['"4"', '4'],
    ['4.0', '4'],
    ['9007199254740993', '9007199254740993'],
    ['-4', null],
    ['4.5', null],
    ['"x"', null],
    ['null', null],
  ])('reads the numeric id %s as %s', (id, serviceId) => {
    const json = parseExactJson(`{"id":${id},"payment_agreement_id":"agreement-1","status":"active"}`)
    expect(readAgreementReport(json)?.serviceId).toBe(serviceId)
  })

  it('never keeps an account number or an alias, whatever type it is said to have', () => {
    const number = fc.stringMatching(/^[0-9]{6,20}$/)
    const alias = fc.oneof(number, fc.stringMatching(/^[a-z]{6,12}@payer\.test$/))
    const type = fc.constantFrom('EMAIL', 'PHONE', 'ABN', 'OTHER', null)
    fc.assert(
      fc.property(number, alias, type, (account_number, pay_id, pay_id_type) => {
        const payer_details = {
          name: 'Jo Payer',
          bank_account_details: { bsb: account_number, account_number },
          pay_id_details: { pay_id, pay_id_type },
        }
        const report = readAgreementReport({ ...least, payer_details })
        const kept = JSON.stringify({ ...report?.payer, bsb: account_number.length === 6 ? null : report?.payer.bsb })
        expect(kept).not.toContain(account_number)
        expect(kept).not.toContain(pay_id)
        expect(report?.payer.accountNumberMasked).toMatch(/^\*{3}\d{3}$/)
      }),
    )
  })

  it('takes any body whatsoever without failing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (payer_details, agreement_details) => {
        const text = JSON.stringify({ ...least, payer_details, agreement_details, id: payer_details })
        expect(readAgreementReport(parseExactJson(text))?.id).toBe('agreement-1')
      }),
      { numRuns: 300 },
    )
  })
})

describe('withoutSecretsOfAgreement', () => {
  it('keeps the facts of the agreement alone', () => {
    expect(JSON.stringify(withoutSecretsOfAgreement(fixture('agreement-created')))).toBe(
      '{"id":12345,"payment_agreement_id":"agreement-12345","client_transaction_id":"order-17-mandate","limit_amount":5000.5,' +
        '"status":"created","created_at":"2024-01-01T00:00:00Z","payment_agreement_type":"OTHER SERVICE",' +
        '"agreement_details":{"variable_agreement_details_obj":{"start_date":"15/07/24","frequency":"MONTHLY"}}}',
    )
  })

  it.each(['agreement-created', 'agreement-amended'])('leaves payer and secrets of %s behind', (name) => {
    const kept = JSON.stringify(withoutSecretsOfAgreement(fixture(name)))
    expect(kept).not.toMatch(/Payer|payer|123456789|062-000|412345678|Bearer|authorization|endpoint|tenant/)
    expect(kept).toContain('agreement-12345')
  })

  it.each<[ExactJson, ExactJson]>([
    [
      { name: 'Jo', status: { name: 'Jo' }, agreement_details: { other: { start_date: 'x' } } },
      { agreement_details: {} },
    ],
    [{ agreement_details: { fixed_agreement_details_obj: 'Jo' } }, { agreement_details: {} }],
    [[], null],
    ['x', null],
  ])('keeps of %o only %o', (body, expected) => {
    expect(withoutSecretsOfAgreement(body)).toEqual(expected)
  })
})
