import { describe, expect, it } from 'vitest'
import { createSites } from '../../../src/upstream/client/sites.ts'
import type { WirePayoutRequest } from '../../../src/upstream/wire/wire-payout-request.ts'
import { fixtureText } from '../../fixtures/upstream/read.ts'
import { clientOf, faultOf, site } from './open.ts'
import { answer } from './scripted-service.ts'

const settings = { id: 'aud', appId: 'app-aud', secretKey: 'key-aud', currencies: ['AUD'] }
const siteWith = (v1Payouts: true | Record<string, string>) => {
  const [found = site()] = createSites([{ ...settings, v1Payouts }]).all
  return found
}
const v1 = siteWith(true)

const webhook = { endpointUrl: 'https://merchant.test/webhooks/payouts/r1', authorizationHeader: 'Bearer v1.k.abc' }
const request: WirePayoutRequest = {
  currency: 'AUD',
  methodCode: 'au_bank_v1_aud',
  description: 'Refunds of the week',
  transactions: [
    {
      firstName: 'Ada',
      lastName: "O'Payee",
      email: 'ada@payee.test',
      amount: '100',
      methodFields: { payid: 'ada@payee.test' },
    },
    {
      firstName: 'Joan',
      lastName: '',
      email: 'joan@payee.test',
      amount: '40.25',
      methodFields: { bsb: '062-000', account_number: '112233445', address: '1 Engine Street' },
    },
  ],
  scheduledAt: new Date('2026-12-31T00:00:00Z'),
  retry: true,
  reference: 'batch-7',
  webhook,
}
const span = { from: new Date('2023-04-01T00:00:00Z'), to: new Date('2023-04-30T23:59:59.999Z') }
const none = answer(200, JSON.stringify({ records: [], page: 1, total_page: 0, total_count: 0 }))
const made = (over: Record<string, unknown> = {}) =>
  answer(200, JSON.stringify({ ...(JSON.parse(fixtureText('v1-payout')) as object), ...over }))

describe('a v1 payout', () => {
  it('is sent with the documented fields, and read by its number', async () => {
    const { service, client } = await clientOf(made())
    expect(await client.createPayout(v1, request)).toMatchObject({
      id: 'v1-4711',
      currency: 'AUD',
      methodCode: 'au_bank_v1_aud',
      totalAmount: '140.25',
      totalRefund: '40.25',
      failedTransactions: 1,
      reference: 'batch-7',
      endpointUrl: webhook.endpointUrl,
      payees: [
        { name: "Ada O'Payee", payIdMasked: 'a***@payee.test', accountNumberMasked: null, bankCode: null },
        { name: 'Joan Payee', payIdMasked: null, accountNumberMasked: '***445', bankCode: '062-000' },
      ],
    })
    expect(service.requests[0]).toMatchObject({
      line: 'POST /api/v1/payouts HTTP/1.1',
      body:
        '{"payout_transaction_details":[{"payee":"Ada O\'Payee","email":"ada@payee.test","amount":100,"payid":"ada@payee.test"},' +
        '{"payee":"Joan","address":"1 Engine Street","email":"joan@payee.test","amount":40.25,"bsb":"062-000","account_number":"112233445"}],' +
        '"scheduled_at":"2026-12-31T00:00:00","description":"Refunds of the week","is_retry":true,"external_id":"batch-7",' +
        '"webhook_notification":{"endpoint_url":"https://merchant.test/webhooks/payouts/r1","authorization_header":"Bearer v1.k.abc"}}',
    })
  })

  it('takes the names that a site gives to fields, and reads them back', async () => {
    const names = { transactions: 'payouts', notification: 'payout_notification', externalId: 'client_id' }
    const answered = { webhook_notification: undefined, payout_notification: { endpoint_url: webhook.endpointUrl } }
    const { service, client } = await clientOf(made({ ...answered, external_id: undefined, client_id: 'batch-7' }))
    expect(await client.createPayout(siteWith(names), request)).toMatchObject({
      reference: 'batch-7',
      endpointUrl: webhook.endpointUrl,
    })
    const sent = JSON.parse(service.requests[0]?.body ?? '{}') as Record<string, unknown>
    expect(Object.keys(sent).toSorted()).toEqual([
      'client_id',
      'description',
      'is_retry',
      'payout_notification',
      'payouts',
      'scheduled_at',
    ])
  })

  it.each([
    { total_amount: '99' },
    { webhook_notification: { endpoint_url: 'https://merchant.test/webhooks/payouts/r2' } },
    { currency: 'NZD' },
    { id: null },
    { status: null },
  ])('whose answer has %o is of unknown outcome', async (over) => {
    const { client } = await clientOf(made(over))
    expect((await faultOf(client.createPayout(v1, request))).detail).toMatchObject({ kind: 'unknown' })
  })

  it('is never sent twice, nor at a site without v1, nor with a payee that has both or neither', async () => {
    const { service, client } = await clientOf(answer(503))
    expect((await faultOf(client.createPayout(v1, request))).detail).toMatchObject({ kind: 'unknown' })
    const withFields = (methodFields: Record<string, string>) => ({
      ...request,
      transactions: request.transactions.map((one) => ({ ...one, methodFields })),
    })
    const unsent = { kind: 'not-sent', reason: 'invalid-request' }
    const both = { payid: 'ada@payee.test', bsb: '062-000', account_number: '1' }
    for (const [at, asked] of [
      [site('aud'), request],
      [v1, withFields(both)],
      [v1, withFields({})],
      [v1, withFields({ payid: 'ada@payee.test', iban: '1' })],
    ] as const)
      expect((await faultOf(client.createPayout(at, asked))).detail).toEqual(unsent)
    expect(service.requests).toHaveLength(1)
  })

  it('is read by its number, also where v1 was turned off since, and never as another', async () => {
    const { service, client } = await clientOf(made(), made(), made({ id: 4712 }))
    expect(await client.getPayout(v1, 'v1-4711')).toMatchObject({ id: 'v1-4711' })
    expect(await client.getPayout(site('aud'), 'v1-4711')).toMatchObject({ id: 'v1-4711' })
    expect((await faultOf(client.getPayout(v1, 'v1-4711'))).detail).toMatchObject({ reason: 'mismatch' })
    expect((await faultOf(client.getPayout(site('jpy'), 'v1-4711'))).detail).toMatchObject({ kind: 'not-sent' })
    expect(service.requests.map(({ line }) => line)).toEqual(
      Array.from({ length: 3 }, () => 'GET /api/v1/payouts/detail?id=4711 HTTP/1.1'),
    )
  })
})

describe('the payouts of a site with v1', () => {
  it('are those of both lists, without unreadable ones and those of another currency', async () => {
    const page = answer(200, fixtureText('v1-payouts-page'))
    const { service, client } = await clientOf((socket, seen) =>
      (seen.line.includes('/v1/') ? page : none)(socket, seen),
    )
    const found = await client.listPayouts(v1, { ...span, page: 1 })
    expect(found).toMatchObject({ page: 1, totalPages: 1, totalCount: 3 })
    expect(found.payouts.map(({ id }) => id)).toEqual(['v1-4711'])
    expect(new Set(service.requests.map(({ line }) => line.split('?')[0]))).toEqual(
      new Set(['GET /api/v1/payouts/', 'GET /api/v2/payouts/all']),
    )
  })
})
