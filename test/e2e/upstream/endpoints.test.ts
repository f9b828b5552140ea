import { expect, it } from 'vitest'
import type { UpstreamClient } from '../../../src/upstream/upstream-client.ts'
import { clientOf, fixed, json, site } from './open.ts'
import { AGREEMENT, CHECK, DOCUMENT, LINK, PAYIN, PAYOUT, PERSON, pictures, TERMS } from './requests.ts'
import { answer, type Script } from './scripted-service.ts'

type Call = (client: UpstreamClient) => Promise<unknown>

const [aud, jpy] = [site(), site('jpy')]
const span = { from: new Date('2026-01-01T00:00:00.500Z'), to: new Date('2026-01-31T23:59:58.500Z'), page: 2 }
const FROM = 'from_date=2026-01-01T00%3A00%3A00'
const TO = 'to_date=2026-01-31T23%3A59%3A59'
const AGREEMENTS = '/v1/pay_to/payment_agreement'
const payin = { uuid: 'VMMAOTFQ', status: 'pending', currency: 'AUD' }
const batch = { uuid: 'OHXTEF9M', status: 'scheduled', currency: 'AUD', total_amount: '100' }
const refund = { uuid: 'APU221YS', amount: '40.50', description: 'Returned goods' }
const endpointUrl = LINK.webhook.endpointUrl
const records = (...all: unknown[]) => json({ records: all, page: 2, per_page: 20, total: 44 })
const SENT_PERSON =
  '"email":"jo@payer.test","first_name":"Jo","last_name":"Payer","dob":"1990-12-10","phone":"+61-412345678",' +
  '"street":"1 Engine Street","city":"Sydney","postal_code":"2000","state":"NSW","country":"AU","type":"individual","gender":"female"'
const SENT_CUSTOMER = `${SENT_PERSON},"identity":{"issue_country":"AU","id_doc_type":"passport","document_number":"P8152342","issue_date":"2020-01-31","expiry_date":"2030-01-30"}`

// A body of `{` is one whose contents the tests of its writer check.
it.each<[call: Call, script: Script, sent: string, result: unknown]>([
  [
    (client) => client.getBalances(aud, 'USDC'),
    fixed('balances'),
    'GET /v2/balances/detail?currency=USDC',
    { currency: 'USDC', available: '1000.5' },
  ],
  [
    (client) => client.getBalanceHistory(aud, span),
    records({ id: 'a', amount: 1 }, { id: 'b', amount: 1, currency: 'JPY' }, { id: 'c' }, { amount: 1 }, null),
    `GET /v1/balances/history?${FROM}Z&${TO}Z&page=2`,
    { movements: [{ id: 'a', amount: '1' }], totalPages: 3, totalCount: 44 },
  ],
  [
    (client) => client.lookupBankByQr(aud, '00020101021138'),
    fixed('bank-account'),
    'POST /v2/banks/lookup/qr_content {"qr_content":"00020101021138"}',
    { accountNumber: '0011223344' },
  ],
  [
    (client) => client.simulateDeposit(jpy, { accountNumber: '1234567', amount: '1000' }),
    json({ status: 'ok' }),
    'POST /v1/simulate_deposit {',
    { status: 'ok' },
  ],
  [
    (client) =>
      client.createPaymentAgreement(aud, { ...AGREEMENT, limit: '5000.5', clientTransactionId: 'order-17-mandate' }),
    fixed('agreement-created'),
    `POST ${AGREEMENTS} {`,
    { id: 'agreement-12345', serviceId: '12345', status: 'created', payer: { accountNumberMasked: '***789' } },
  ],
  [
    (client) => client.amendPaymentAgreement(aud, { ...TERMS, serviceId: '12345' }),
    fixed('agreement-amended'),
    `POST ${AGREEMENTS}/amendment {`,
    { id: 'agreement-12345', serviceId: '12345', status: 'active', limit: '5000' },
  ],
  [
    (client) => client.changeAgreementStatus(aud, { serviceId: '4', status: 'suspended' }),
    json({ id: 4, payment_agreement_id: 'agreement-4', status: 'suspended' }),
    `POST ${AGREEMENTS}/change_status {`,
    { status: 'suspended' },
  ],
  [
    (client) => client.searchAgreements(aud, { ...span, size: 2 }),
    fixed('agreements-page'),
    `GET ${AGREEMENTS}/search?${FROM}&${TO}&page=2&size=2`,
    {
      nextPage: 2,
      totalPages: 3,
      totalCount: 5,
      entries: [{ report: { id: 'agreement-4', startDate: '2024-02-29' } }],
    },
  ],
  [
    (client) => client.createCustomer(aud, { person: PERSON, document: DOCUMENT }),
    json({ uuid: 'customer_1', email: 'jo@payer.test' }),
    `POST /v2/customers {${SENT_CUSTOMER}}`,
    'customer_1',
  ],
  [
    (client) => client.updateCustomer(aud, { uuid: 'customer_1', person: PERSON, document: DOCUMENT }),
    json({ uuid: 'customer_1' }),
    `POST /v2/customers/update {${SENT_CUSTOMER},"uuid":"customer_1"}`,
    undefined,
  ],
  [
    (client) => client.listCustomers(aud, span),
    records({ uuid: 'customer_1' }, {}),
    `GET /v2/customers/?${FROM}&${TO}&page=2`,
    { entries: [{ id: 'customer_1' }], totalPages: 3, totalCount: 44 },
  ],
  [
    (client) => client.createContact(aud, PERSON),
    json({ email: 'jo@payer.test' }),
    `POST /v2/contacts {${SENT_PERSON}}`,
    undefined,
  ],
  [
    (client) => client.getContact(aud, 'jo+1@payer.test'),
    json({ email: 'Jo+1@payer.test' }),
    'GET /v2/contacts/detail?email=jo%2B1%40payer.test',
    { email: 'Jo+1@payer.test' },
  ],
  [
    (client) => client.submitIdentityCheck(aud, { ...CHECK, pictures: pictures() }),
    json({ status: 'Ok' }),
    'POST /v2/contacts/submit_kyc',
    { statusRaw: 'Ok' },
  ],
  [
    (client) => client.listPayinMethods(aud),
    json({
      records: [
        null,
        { payin_method_name: 'Nameless' },
        { payin_method_code: 'au_card_aud', payin_method_name: 'First' },
        { payin_method_code: 'jp_card_jpy', currency: 'JPY' },
        { payin_method_code: 'au_card_aud', payin_method_name: 'Second' },
      ],
    }),
    'GET /v3/payin_methods',
    [{ code: 'au_card_aud', name: 'First' }],
  ],
  [
    (client) => client.listDirectPayinMethods(aud),
    fixed('payin-methods-v2'),
    'GET /v2/payins/payin_methods',
    [
      { code: 'au_payid_npp_aud', name: 'PayID', kind: 'ALIAS', minAmount: '20', maxAmount: '10000' },
      { code: 'au_card_aud', name: null, minAmount: null, cardBrands: null },
    ],
  ],
  [
    (client) => client.payinMethodFields(aud, 'au_payid_npp_aud'),
    fixed('payin-method-params'),
    'GET /v2/payins/payin_method/params?payin_method_name=au_payid_npp_aud',
    { fields: [{ name: 'callback_url' }, { name: 'user_id' }] },
  ],
  [
    (client) => client.createPayinLink(aud, LINK),
    fixed('payin-link-created'),
    'POST /v3/payin_links {',
    { uuid: '7AMCEF7H', expiresAt: '2026-12-31T00:00:00.000Z', answeredAt: null },
  ],
  [
    (client) => client.getPayinLink(aud, '7AMCEF7H'),
    fixed('payment-flat-authorised'),
    'GET /v3/payin_links/7AMCEF7H',
    { paymentId: 'VMMAOTFQ', linkId: null, status: 'authorised' },
  ],
  [
    (client) => client.listPayinLinks(aud, { from_date: '2026-01-01T00:00:00', page: 2, status: 'pending' }),
    fixed('payin-links-page'),
    `GET /v3/payin_links?${FROM}&page=2&status=pending`,
    {
      entries: [
        { report: { paymentId: '7AMCEF7H' }, endpointUrl },
        { report: { paymentId: 'VMMAOTFQ' }, endpointUrl: null },
      ],
      totalPages: 3,
    },
  ],
  [
    (client) => client.createPayin(aud, PAYIN),
    answer(201, JSON.stringify({ record: { ...payin, pay_code: { qr_string: '000201' } } })),
    'POST /v2/payins {',
    { paymentId: 'VMMAOTFQ', linkId: null, status: 'pending', details: { instructions: { qr_string: '000201' } } },
  ],
  [
    (client) => client.getPayin(aud, 'VMMAOTFQ'),
    json({ ...payin, status: 'received' }),
    'GET /v2/payins/detail?uuid=VMMAOTFQ',
    { status: 'received' },
  ],
  [
    (client) => client.refundPayin(aud, refund),
    fixed('payin-refunded'),
    'POST /v2/payins/refund {',
    { totalAmount: '100.0', refundAmount: '40.5', report: { paymentId: 'APU221YS', status: 'return_pending' } },
  ],
  [
    (client) => client.refundPayinLink(aud, { ...refund, uuid: '7AMCEF7H', amount: null }),
    fixed('payin-refunded'),
    'POST /v3/payin_links/refund {',
    { refundAmount: '40.5' },
  ],
  [
    (client) => client.listPayins(aud, span),
    records(
      { ...payin, webhook_notification: { endpoint_url: endpointUrl, authorization_header: '****' } },
      { ...payin, uuid: 'OTHERONE' },
      { ...payin, currency: 'JPY' },
      { status: 'pending' },
    ),
    `GET /v2/payins/all?${FROM}&${TO}&page=2`,
    {
      entries: [
        { report: { paymentId: 'VMMAOTFQ', status: 'pending' }, endpointUrl },
        { report: { paymentId: 'OTHERONE' }, endpointUrl: null },
      ],
      totalPages: 3,
    },
  ],
  [
    (client) => client.simulatePayin(aud, { uuid: 'MB3Y26GO', status: 'completed', amount: '500' }),
    answer(200, '{"status":"ok","amount":500,"exact":0.10}'),
    'POST /v2/payins/simulate {',
    { status: 'ok', amount: 500, exact: '0.10' },
  ],
  [
    (client) => client.listPayoutMethods(jpy),
    fixed('payout-methods'),
    'GET /v2/payouts/payout_methods',
    [
      { code: 'jp_bank_jpy', kind: 'BANK_TRANSFER' },
      { code: 'jp_ewallet_new_jpy', kind: 'EWALLET' },
    ],
  ],
  [
    (client) => client.payoutMethodFields(jpy, 'ph_bank_maya_php'),
    fixed('payout-method-params'),
    'GET /v2/payouts/payout_method/params?payout_method_name=ph_bank_maya_php',
    { currency: 'PHP', minAmount: '200', requiresKyc: false, banks: [{ code: '600' }, { code: '601' }] },
  ],
  [
    (client) => client.createPayout(aud, PAYOUT),
    json(batch),
    'POST /v2/payouts {',
    { id: 'OHXTEF9M', status: 'scheduled', totalAmount: '100' },
  ],
  [
    (client) => client.getPayout(aud, 'OHXTEF9M'),
    json(batch),
    'GET /v2/payouts/detail?uuid=OHXTEF9M',
    { id: 'OHXTEF9M' },
  ],
  [
    (client) => client.listPayouts(jpy, span),
    fixed('payouts-page'),
    `GET /v2/payouts/all?${FROM}&${TO}&page=2`,
    { payouts: [{ id: 'OHXTEF9M' }], totalPages: 1, totalCount: 3 },
  ],
  [
    (client) => client.cancelScheduledPayout(aud, 'OHXTEF9M'),
    json({ status: 'ok' }),
    'POST /v2/payouts/cancel_scheduled {',
    { statusRaw: 'ok' },
  ],
])('%s', async (call, script, sent, result) => {
  const { service, client } = await clientOf(script)
  expect({ result: await call(client) }).toMatchObject({ result })
  const seen = service.requests.map(({ line, body }) => `${line.replace(/ \/api(\S+) HTTP.*/, ' $1')} ${body}`.trim())
  expect(seen.map((text) => (sent.endsWith(' {') ? text.slice(0, sent.length) : text))).toEqual([sent])
})
