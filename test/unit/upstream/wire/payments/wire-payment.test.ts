import * as fc from 'fast-check'
import { type ExactJson, parseExactJson } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it } from 'vitest'
import type { PaymentReport } from '../../../../../src/domain/payments/payment-report.ts'
import { Secret } from '../../../../../src/keys/key-ring.ts'
import { withoutSecrets } from '../../../../../src/upstream/wire/values/redact.ts'
import { readEndpointUrl, readPaymentReport } from '../../../../../src/upstream/wire/wire-payment.ts'
import { fixture, fixtureText } from '../../../../fixtures/upstream/read.ts'

const read = (body: object) => readPaymentReport(parseExactJson(JSON.stringify(body)))

/** Returns the ids and the status of a body: the parts that say which payment it is about. */
const namesIn = (report: PaymentReport | null) =>
  report === null ? null : [report.paymentId, report.linkId, report.statusRaw]

const NAMES = 'refunded refundTotal gst gstAmount threeDsUrl failureCode failureMessage instructions expiresAt'
const UNREPORTED = Object.fromEntries(NAMES.split(' ').map((name) => [name, null]))

describe('readPaymentReport', () => {
  it('reads the flat object of a card payment, whose token no text shows', () => {
    const report = readPaymentReport(fixture('payment-flat-authorised'))
    expect(report).toEqual({
      paymentId: 'VMMAOTFQ',
      linkId: null,
      statusRaw: 'authorised',
      status: 'authorised',
      details: {
        ...UNREPORTED,
        currency: 'AUD',
        amount: '100.0',
        total: '110.0',
        paid: '0',
        refundable: true,
        reference: 'order-17',
        methodRaw: 'card',
        card: { brand: 'visa', type: 'credit', last4: '4242', countryCode: 'AU' },
        createdAt: '2025-05-28T04:22:21.567Z',
      },
      payer: { name: 'Jo Payer', email: 'jo@payer.test' },
      refundDescription: null,
      cardToken: new Secret('tok_5Gf81'),
    })
    expect(report?.cardToken?.reveal()).toBe('tok_5Gf81')
    expect(JSON.stringify(report)).not.toMatch(/tok_|card_9f2|\*\*\*\*/)
  })

  it('reads a failure, money as bare integers, and the 3-D Secure address', () => {
    expect(readPaymentReport(fixture('payment-flat-failed'))?.details).toMatchObject({
      amount: '2500',
      paid: '0',
      refundable: false,
      reference: null,
      threeDsUrl: 'https://checkout.test/3ds/1',
      failureCode: 'insufficient_funds',
      failureMessage: 'Insufficient funds',
      instructions: null,
      card: null,
    })
  })

  it('reads what was refunded, and a flag written as text', () => {
    expect(readPaymentReport(fixture('payment-flat-refunded'))).toMatchObject({
      status: 'partially_refunded',
      details: { refunded: '40.5', refundTotal: '100.0', refundable: false },
      payer: { name: null, email: null },
    })
  })

  it('reads the older nested link: the payment is inside, both uuids are kept', () => {
    expect(readPaymentReport(fixture('link-nested-older'))).toMatchObject({
      paymentId: 'TX9KQ2LM',
      linkId: '7AMCEF7H',
      status: 'received',
      details: {
        currency: 'MYR',
        amount: '125.5',
        total: '127.0',
        paid: '127',
        reference: 'order-17',
        methodRaw: 'my_ewallet_touchngo_myr',
        expiresAt: '2025-10-02T19:05:03.971Z',
      },
      payer: { name: 'Jo Payer', email: 'jo@payer.test' },
    })
  })

  it('reads the newer nested link: it stands for its own payment until it names one', () => {
    expect(readPaymentReport(fixture('link-nested-newer'))).toMatchObject({
      paymentId: '7AMCEF7H',
      linkId: '7AMCEF7H',
      status: 'pending',
      details: { currency: null, amount: '125.5' },
      payer: { name: 'Jo Payer', email: 'jo@payer.test' },
    })
  })

  it('reads a direct payin: instructions by their own names, the misspelt expiry, another spelling of a status', () => {
    expect(readPaymentReport(fixture('payin-record-v2'))).toMatchObject({
      statusRaw: 'canceled',
      status: 'expired',
      linkId: null,
      details: {
        currency: 'JPY',
        gstAmount: '100.0',
        reference: 'order-18',
        expiresAt: '2021-12-23T06:00:00.000Z',
        instructions: {
          bank_name: 'Sample Bank',
          account_number: '1234567',
          branch_code: 101,
          qr_string: '000201010212',
        },
      },
    })
  })

  it.each([
    ['decimals as they were written', JSON.parse('{"amount":"125.50"}') as object, { details: { amount: '125.50' } }],
    ['an unknown status is kept', { status: 'on_hold' }, { statusRaw: 'on_hold', status: null }],
    [
      'the status inside speaks for the payment inside',
      { status: 'active', transaction_info: { uuid: 'T1', status: 'waiting' } },
      { paymentId: 'T1', status: 'waiting' },
    ],
    [
      'a status at the top alone',
      { status: 'waiting', transaction_info: { uuid: 'T1' } },
      { paymentId: 'T1', status: 'waiting' },
    ],
    ['an address that is not there makes no link', { payment_url: null }, { paymentId: 'U1', linkId: null }],
    ['pay_code as text', { pay_code: '000201' }, { details: { instructions: { pay_code: '000201' } } }],
    [
      'what came along with a failure',
      { status: 'failed', pay_code: { error_code: 'card_stolen', decline_text: 'Reported stolen.' } },
      { details: { failureCode: 'card_stolen', instructions: null } },
    ],
    [
      'a failure under a status that is not known',
      { status: 'declined', pay_code: { error_code: 'card_stolen', decline_text: 'Reported stolen.' } },
      { details: { instructions: null } },
    ],
    ['pay_code as an empty text', { pay_code: '' }, { details: { instructions: null } }],
    ['pay_code with nothing in it', { pay_code: { pay_id: null } }, { details: { instructions: null } }],
    [
      'pay_code with a credential',
      { pay_code: { qr_string: 'q', token: { id: 'tok_1' } } },
      { details: { instructions: { qr_string: 'q' } } },
    ],
    [
      'a script in place of an address',
      { pay_code: { '3ds_url': 'javascript:alert(1)' } },
      { details: { threeDsUrl: null } },
    ],
    [
      'money that cannot be read',
      { amount: 'ten', total: {}, paid_amount: [] },
      { details: { amount: null, total: null, paid: null } },
    ],
    ['an expiry that is a number', { expired_at: 1735689600 }, { details: { expiresAt: null } }],
    ['a flag of another type', { is_refundable: 1 }, { details: { refundable: null } }],
    [
      'sections of another type',
      { sender_details: [], refund_information: 'x', transaction_info: 1, meta_data: null },
      { details: { card: null, refunded: null } },
    ],
    [
      'a whole card number',
      { sender_details: { card: { card_last_4: '4242424242424242' } } },
      { details: { card: null } },
    ],
    ['the reference in metadata', { metadata: { external_id: 'm-1' } }, { details: { reference: 'm-1' } }],
    ['a decomposed name', { name: 'e\u0301' }, { payer: { name: '\u00e9' } }],
    ['a name of 10 000 letters', { name: 'x'.repeat(10_000) }, { payer: { name: 'x'.repeat(255) } }],
    ['a currency that is none', { currency: 'A$' }, { details: { currency: null } }],
  ])('%s', (_name, fields, expected) => {
    expect(read({ uuid: 'U1', status: 'pending', ...fields })).toMatchObject(expected)
  })

  it.each([
    ['nothing', null],
    ['a list', []],
    ['a text', 'received'],
    ['no uuid', { status: 'received' }],
    ['no status', { uuid: 'U1' }],
    ['an empty status', { uuid: 'U1', status: '' }],
    ['a status of another type', { uuid: 'U1', status: ['received'] }],
    ['a status of 10 KB', { uuid: 'U1', status: 'x'.repeat(10_000) }],
    ['a path in place of a uuid', { uuid: '../../v1/payment_gateways/access_token', status: 'received' }],
    ['a uuid of 10 KB', { uuid: 'x'.repeat(10_000), status: 'received' }],
    ['a numeric uuid', { uuid: 17, status: 'received' }],
  ])('reads no payment from %s', (_name, body) => {
    expect(readPaymentReport(parseExactJson(JSON.stringify(body)))).toBeNull()
  })

  it('takes any body whatsoever without failing', () => {
    const keys =
      'uuid status pay_code transaction_info sender_info sender_details card amount token payment_url __proto__ toString'.split(
        ' ',
      )
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        tie('list'),
        tie('object'),
      ),
      list: fc.array(tie('value'), { maxLength: 4 }),
      object: fc.dictionary(fc.constantFrom(...keys), tie('value')),
    })).object
    fc.assert(
      fc.property(json, (body) => {
        const parsed = parseExactJson(JSON.stringify(body))
        const report = readPaymentReport(parsed)
        expect(report === null || /^[\w-]{1,64}$/.test(report.paymentId)).toBe(true)
        const kept = JSON.stringify(withoutSecrets(parsed))
        expect(kept).not.toContain('token')
        expect(namesIn(readPaymentReport(parseExactJson(kept)))).toEqual(namesIn(report))
      }),
      { numRuns: 2_000 },
    )
  })

  it('takes deep nesting within pay_code', () => {
    const deep = `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`
    const report = readPaymentReport(parseExactJson(`{"uuid":"U1","status":"pending","pay_code":${deep}}`))
    expect(JSON.stringify(report?.details.instructions).length).toBeLessThan(100)
  })
})

describe('readEndpointUrl', () => {
  it.each([
    ['payment-flat-authorised', 'https://merchant.test/webhooks/payments/r1'],
    ['payin-record-v2', 'https://merchant.test/webhooks/payments/r3'],
    ['payment-flat-failed', null],
  ])('finds the webhook address of %s', (name, expected) => {
    expect(readEndpointUrl(fixture(name))).toBe(expected)
  })

  it('reads the name that v1 uses', () => {
    expect(readEndpointUrl({ payment_request_notification: { endpoint_url: 'https://merchant.test/v1' } })).toBe(
      'https://merchant.test/v1',
    )
  })
})

describe('withoutSecrets', () => {
  const names = [
    'payment-flat-authorised',
    'payment-flat-failed',
    'payment-flat-refunded',
    'link-nested-older',
    'link-nested-newer',
    'payin-record-v2',
  ]

  it.each(names)('leaves secrets and the payer out of %s', (name) => {
    expect(fixtureText(name)).toMatch(/status/)
    const kept = JSON.stringify(withoutSecrets(fixture(name)))
    expect(kept).not.toMatch(/tok_|card_9f2|authorization|Jo|Payer|payer\.test|\+267|1234567|merchant\.test/)
  })

  it('keeps the digits of a number as they came', () => {
    expect(JSON.stringify(withoutSecrets(parseExactJson('{"amount":125.50,"total":1e3}')))).toBe(
      '{"amount":125.50,"total":1e3}',
    )
  })

  it('keeps what tells the state', () => {
    expect(JSON.stringify(withoutSecrets(fixture('link-nested-older')))).toBe(
      '{"uuid":"7AMCEF7H","amount":125.5,"payin_method_code":"my_ewallet_touchngo_myr","expires_at":"2025-10-02T19:05:03.971Z",' +
        '"transaction_info":{"uuid":"TX9KQ2LM","status":"received","currency":"MYR","total":127.0,"paid_amount":127},' +
        '"payment_link_url":""}',
    )
    expect(withoutSecrets(fixture('payment-flat-failed'))).toMatchObject({
      pay_code: { error_code: 'insufficient_funds' },
    })
  })

  it.each(names)('leaves in %s the names by which it is told whose it is', (name) => {
    const kept = parseExactJson(JSON.stringify(withoutSecrets(fixture(name))))
    expect(namesIn(readPaymentReport(kept))).toEqual(namesIn(readPaymentReport(fixture(name))))
  })

  it('leaves a flat link a link, without the address of its page', () => {
    const link = { uuid: 'L1', status: 'pending', payment_url: 'https://checkout.test/L1' }
    const kept = withoutSecrets(link)
    expect(JSON.stringify(kept)).not.toContain('checkout')
    expect(readPaymentReport(kept)).toMatchObject({ paymentId: 'L1', linkId: 'L1' })
  })

  it.each([
    { uuid: 'U\u00001', status: 'received' },
    { uuid: ' U1 ', status: 'received' },
    { uuid: 'U1', status: 'recei\u0000ved' },
  ])('does not make %o readable', (body) => {
    expect(readPaymentReport(body)).toBeNull()
    expect(readPaymentReport(parseExactJson(JSON.stringify(withoutSecrets(body))))).toBeNull()
  })

  it.each<[string, ExactJson, ExactJson]>([
    ['a list', [{ token: 'tok_1' }], null],
    ['an object where a value belongs', { uuid: { token: 'tok_1' }, status: ['a'] }, {}],
    [
      'nested secrets',
      { pay_code: { error_code: 'x', authorization_header: 'Bearer a' }, name: 'Jo' },
      { pay_code: { error_code: 'x' } },
    ],
  ])('keeps nothing else of %s', (_name, body, expected) => {
    expect(withoutSecrets(body)).toEqual(expected)
  })
})
