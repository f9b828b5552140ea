import { describe, expect, it, onTestFinished } from 'vitest'
import { createSites } from '../../../src/upstream/client/sites.ts'
import { createUpstreamClient, type Mismatch, type UpstreamClient } from '../../../src/upstream/upstream-client.ts'
import { fixtureText } from '../../fixtures/upstream/read.ts'
import { faultOf, serve, site } from './open.ts'
import { AGREEMENT, DOCUMENT, LINK, PAYIN, PAYOUT, PERSON, TERMS } from './requests.ts'
import { answer } from './scripted-service.ts'

const elsewhere = { endpoint_url: 'https://merchant.test/webhooks/payments/r2' }
const oceania = createSites([{ id: 'aud', appId: 'a', secretKey: 's', currencies: ['AUD', 'NZD'] }])
const payment = { uuid: 'VMMAOTFQ', status: 'received', currency: 'AUD', amount: '125.5' }

const CALLS = {
  createPayinLink: (client: UpstreamClient) => client.createPayinLink(site(), LINK),
  createPayin: (client: UpstreamClient) => client.createPayin(site(), PAYIN),
  createPayout: (client: UpstreamClient) => client.createPayout(site(), PAYOUT),
  createCustomer: (client: UpstreamClient) => client.createCustomer(site(), { person: PERSON, document: DOCUMENT }),
  createPaymentAgreement: (client: UpstreamClient) => client.createPaymentAgreement(site(), AGREEMENT),
  amendPaymentAgreement: (client: UpstreamClient) =>
    client.amendPaymentAgreement(site(), { ...TERMS, serviceId: '12345' }),
  changeAgreementStatus: (client: UpstreamClient) =>
    client.changeAgreementStatus(site(), { serviceId: '12345', status: 'active' }),
  searchAgreements: (client: UpstreamClient) => client.searchAgreements(site(), { from: new Date(0), to: new Date(1) }),
  getPayinLink: (client: UpstreamClient) => client.getPayinLink(site(), '7AMCEF7H'),
  getPayin: (client: UpstreamClient) => client.getPayin(site(), 'VMMAOTFQ'),
  getPayout: (client: UpstreamClient) => client.getPayout(site(), 'OHXTEF9M'),
  payinMethodFields: (client: UpstreamClient) => client.payinMethodFields(site(), 'au_card_aud'),
  getCustomer: (client: UpstreamClient) => client.getCustomer(site(), 'customer_1'),
  getContact: (client: UpstreamClient) => client.getContact(site(), 'jo@payer.test'),
  getBalances: (client: UpstreamClient) => client.getBalances(site(), 'AUD'),
  refundPayin: (client: UpstreamClient) =>
    client.refundPayin(site(), { uuid: 'VMMAOTFQ', amount: '40.50', description: 'Returned goods' }),
  refundPayinLink: (client: UpstreamClient) =>
    client.refundPayinLink(site(), { uuid: '7AMCEF7H', amount: '40.50', description: 'Returned goods' }),
} as const

type Operation = keyof typeof CALLS

const link = { uuid: '7AMCEF7H', payment_url: 'https://pay.test/x' }
const batch = { uuid: 'OHXTEF9M', status: 'processing', currency: 'AUD' }
const agreement = { id: 1, payment_agreement_id: 'a-1', client_transaction_id: 'mandate-1', status: 'created' }
const BALANCES = { ...(JSON.parse(fixtureText('balances')) as object), currency: 'JPY' }
const METHOD = JSON.parse(fixtureText('payin-method-params')) as object

/** Starts a service that gives one answer to everything, and a client of it. */
async function told(body: unknown) {
  const service = await serve(answer(200, JSON.stringify(body)))
  const mismatches: Mismatch[] = []
  const client = createUpstreamClient({
    baseUrl: service.baseUrl,
    sites: oceania,
    onMismatch: (mismatch) => mismatches.push(mismatch),
  })
  onTestFinished(() => client.close())
  return { service, client, mismatches }
}

// promise(upstream): An answer about another payment, currency or amount is refused and counted, and changes nothing.
describe('an answer about something else', () => {
  it.each<[Operation, string, object, string | null]>([
    ['createPayinLink', 'in another currency', { ...link, currency: 'NZD' }, null],
    ['createPayinLink', 'of another amount', { ...link, amount: '1255.0' }, null],
    ['createPayinLink', 'with another address', { ...link, webhook_notification: elsewhere }, null],
    ['createPayin', 'in another currency', { ...payment, currency: 'NZD' }, null],
    ['createPayin', 'of another amount', { ...payment, amount: '125.51' }, null],
    ['createPayin', 'with another address', { ...payment, payin_notification: elsewhere }, null],
    ['createPayout', 'in another currency', { ...batch, currency: 'NZD' }, null],
    ['createPayout', 'of another amount', { ...batch, total_amount: '1000' }, null],
    ['createPaymentAgreement', 'of another mandate', { ...agreement, client_transaction_id: 'mandate-2' }, 'mandate-1'],
    ['createPaymentAgreement', 'of another limit', { ...agreement, limit_amount: '2505.0' }, 'mandate-1'],
    ['getPayinLink', 'of another link', { ...link, uuid: 'OTHER', status: 'received' }, '7AMCEF7H'],
    ['getPayinLink', 'in another currency', { ...link, status: 'received', currency: 'JPY' }, '7AMCEF7H'],
    ['getPayin', 'of another payment', { ...payment, uuid: 'OTHER' }, 'VMMAOTFQ'],
    ['getPayin', 'in another currency', { ...payment, currency: 'JPY' }, 'VMMAOTFQ'],
    ['getPayout', 'of another batch', { ...batch, uuid: 'OTHER' }, 'OHXTEF9M'],
    ['getPayout', 'in another currency', { ...batch, currency: 'JPY' }, 'OHXTEF9M'],
    ['refundPayin', 'of another payment', { payin_request: { ...payment, uuid: 'OTHER' } }, 'VMMAOTFQ'],
    ['refundPayin', 'of another amount', { refund_amount: '405.0', payin_request: payment }, 'VMMAOTFQ'],
    [
      'refundPayinLink',
      'of another link',
      { payin_request: { ...link, uuid: 'OTHER', status: 'return_pending' } },
      '7AMCEF7H',
    ],
    ['refundPayinLink', 'of another amount', { refund_amount: '40.51' }, '7AMCEF7H'],
    ['getBalances', 'in another currency', BALANCES, null],
    ['payinMethodFields', 'about another method', METHOD, null],
    [
      'amendPaymentAgreement',
      'of another agreement',
      { payment_agreement_amendment: { ...agreement, id: 4 } },
      '12345',
    ],
    ['createCustomer', 'of another person', { uuid: 'customer_1', email: 'grace@example.test' }, null],
    ['getCustomer', 'of another customer', { uuid: 'customer_2' }, 'customer_1'],
    ['getContact', 'of another contact', { email: 'grace@example.test' }, null],
  ])('to %s, %s, is refused and told', async (operation, _what, body, subjectId) => {
    const { client, service, mismatches } = await told(body)
    const fault = await faultOf(CALLS[operation](client))
    expect(fault.detail).toMatchObject({ kind: 'unknown', reason: 'mismatch' })
    expect(mismatches).toEqual([{ siteId: 'aud', operation, subjectId }])
    expect(service.requests).toHaveLength(1)
  })

  it.each<[Operation, object]>([
    [
      'createPayinLink',
      { ...link, currency: 'AUD', amount: 125.5, webhook_notification: { endpoint_url: LINK.webhook.endpointUrl } },
    ],
    ['createPayin', { ...payment, amount: '125.500', payin_notification: { endpoint_url: LINK.webhook.endpointUrl } }],
    ['createPayout', { ...batch, total_amount: '100' }],
    ['createPaymentAgreement', { ...agreement, limit_amount: 250.5 }],
    ['refundPayin', { refund_amount: '40.5', payin_request: payment }],
    ['refundPayinLink', { refund_amount: 40.5 }],
  ])('is none when %s tells the same in other digits', async (operation, body) => {
    const { client, mismatches } = await told(body)
    await CALLS[operation](client)
    expect(mismatches).toEqual([])
  })

  it('is told without what may be payer data', async () => {
    const { client, mismatches } = await told({ currency: 'NZD' })
    await faultOf(CALLS.createPayin(client))
    await faultOf(CALLS.getBalances(client))
    expect(JSON.stringify(mismatches)).not.toMatch(/jo@payer|Jo Payer/)
  })
})

it.each(Object.entries(CALLS))(
  'an answer to %s that lacks what it must have leaves the outcome open',
  async (_name, call) => {
    for (const body of [{}, [], 'ok', { id: 4, status: 'ok' }, { payment_agreement_id: 'agreement-4' }]) {
      const { client } = await told(body)
      expect((await faultOf(call(client))).detail).toMatchObject({
        kind: 'unknown',
        reason: 'misshapen',
        httpStatus: 200,
      })
    }
  },
)
