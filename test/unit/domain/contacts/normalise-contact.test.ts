import { describe, expect, it } from 'vitest'
import {
  agreementRequestProblems,
  normaliseAgreementRequest,
  type AgreementRequest,
} from '../../../../src/domain/agreements/agreement-rules.ts'
import { normaliseName, normalisePhone } from '../../../../src/domain/field-problems.ts'
import {
  gatewayRequestProblems,
  normaliseGatewayRequest,
  type GatewayRequest,
} from '../../../../src/domain/gateway/gateway-payment.ts'
import { normalisePayoutRequest, type PayoutRequest } from '../../../../src/domain/payouts/payout-rules.ts'

const AGREEMENT: AgreementRequest = {
  clientTransactionId: 'mandate-1',
  limit: { value: '100.50', currency: 'AUD' },
  description: 'Gym membership',
  purpose: 'RETAIL',
  amountRule: 'VARIABLE',
  frequency: 'MONTHLY',
  startDate: '2030-02-01',
  payer: { name: ' Ada  Payer ', bankAccount: { bsb: '062\u2013000\ufeff', accountNumber: '1234 5678\n' } },
}

const CONTACT = { firstName: 'Ada ', lastName: ' Payer', phone: '0412 345 678', email: ' ada@example.test ' }
const GATEWAY: GatewayRequest = {
  idempotencyKey: 'key-1',
  reference: 'order-1',
  amount: { value: '25.00', currency: 'AUD' },
  description: 'Two tickets',
  successUrl: 'https://shop.test/ok',
  billing: CONTACT,
}

describe('normaliseName', () => {
  it.each([
    [' Ada', 'Ada'],
    ['Ada\u00a0 Lovelace\t', 'Ada Lovelace'],
    ['Ada', 'Ada'],
    ['\ufeffAda\u200b\r\n', 'Ada'],
    ['Nguye\u0302\u0303n', 'Nguy\u1ec5n'],
    ['Nguy\u00ea\u0303n', 'Nguy\u1ec5n'],
    ['\u1100\u1175\u11b7', '\uae40'],
    [' ', ''],
  ])('writes %j as %j', (written, normalised) => expect(normaliseName(written)).toBe(normalised))
})

describe('normalisePhone', () => {
  it.each([
    ['0412 345 678', '+61412345678'],
    ['(02) 9876 5432', '+61298765432'],
    ['+61 (0)412 345 678', '+61412345678'],
    ['0061 412 345 678', '+61412345678'],
    ['+61\u2011412\u2011345\u2011678', '+61412345678'],
    ['+1 (202) 555-0100', '+12025550100'],
    ['\u202a+61 412\u2212345\u2212678\u202c', '+61412345678'],
    ['０４１２－３４５－６７８', '+61412345678'],
    ['+61412345678', '+61412345678'],
    // Neither an international number nor an Australian one as dialled within Australia: the rules reject it.
    ['412345678', '412345678'],
    ['020 7946 0018', '02079460018'],
    ['none', 'none'],
  ])('writes %j as %j', (written, normalised) => expect(normalisePhone(written)).toBe(normalised))
})

describe('an agreement request', () => {
  const withAlias = (type: 'EMAIL' | 'PHONE' | 'ABN', value: string) => {
    const request = normaliseAgreementRequest({ ...AGREEMENT, payer: { name: 'Ada', payId: { type, value } } })
    return { value: request.payer.payId?.value, problems: agreementRequestProblems(request) }
  }

  it('is sent without the spaces that people write', () => {
    const request = normaliseAgreementRequest(AGREEMENT)
    expect(request.payer).toEqual({ name: 'Ada Payer', bankAccount: { bsb: '062-000', accountNumber: '12345678' } })
    expect(agreementRequestProblems(request)).toEqual([])
    expect(normaliseAgreementRequest(request)).toEqual(request)
  })

  it.each([
    ['EMAIL', ' ada@example.test', 'ada@example.test'],
    ['EMAIL', '\ufeffada@example.test\u200b', 'ada@example.test'],
    ['ABN', '51 824 753 556', '51824753556'],
    ['ABN', '\u200b51 824 753 556\n', '51824753556'],
    ['PHONE', '+61-412345678\u200b', '+61-412345678'],
    ['PHONE', '0412 345 678', '+61-412345678'],
    // The format of the payments API, and the same without the hyphen: both are kept.
    ['PHONE', '+61-412345678', '+61-412345678'],
    ['PHONE', '+61412345678', '+61412345678'],
  ] as const)('takes the alias %s %j as %j', (type, written, sent) =>
    expect(withAlias(type, written)).toEqual({ value: sent, problems: [] }),
  )

  it.each([
    ['ABN', '51 824 753'],
    ['PHONE', '12'],
    ['EMAIL', 'ada @example.test'],
  ] as const)('still refuses the alias %s %j', (type, written) =>
    expect(withAlias(type, written).problems).toMatchObject([{ path: ['payer', 'payId', 'value'] }]),
  )
})

describe('a gateway request', () => {
  const billing = (over: object) => normaliseGatewayRequest({ ...GATEWAY, billing: { ...CONTACT, ...over } })

  it('is sent with trimmed names and international numbers', () => {
    expect(billing({}).billing).toEqual({
      firstName: 'Ada',
      lastName: 'Payer',
      phone: '+61412345678',
      email: 'ada@example.test',
    })
    expect(gatewayRequestProblems(billing({}))).toEqual([])
    expect(gatewayRequestProblems(billing({ countryCode: 'JP', phone: '+81 90 1234 5678' }))).toEqual([])
  })

  it('does not take a local number of another country for an Australian one', () => {
    const request = billing({ countryCode: 'NZ', phone: '0412 345 678' })
    expect(gatewayRequestProblems(request)).toMatchObject([{ path: ['billing', 'phone'] }])
  })
})

it('sends the names of payees without the spaces around them', () => {
  const payee = {
    firstName: ' Grace',
    lastName: 'Payee ',
    email: 'g@example.test ',
    amount: '1',
    methodFields: { pix_key: ' key\u200b', tries: 1 },
  }
  const request = { reference: 'batch\n', transactions: [payee] } as unknown as PayoutRequest
  const methodFields = { pix_key: 'key', tries: 1 }
  const sent = { ...payee, firstName: 'Grace', lastName: 'Payee', email: 'g@example.test', methodFields }
  expect(normalisePayoutRequest(request)).toEqual({ reference: 'batch', transactions: [sent] })
})
