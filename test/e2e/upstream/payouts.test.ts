import { describe, expect, it } from 'vitest'
import type { WirePayoutRequest } from '../../../src/upstream/wire/wire-payout-request.ts'
import { clientOf, faultOf, fixed, json, site } from './open.ts'

const request: WirePayoutRequest = {
  currency: 'JPY',
  methodCode: 'jp_bank_jpy',
  description: 'Salaries of May',
  transactions: [
    {
      firstName: 'Ada',
      lastName: 'Payee',
      email: 'ada@payee.test',
      amount: '1000',
      methodFields: { bank_code: '600' },
    },
  ],
  scheduledAt: new Date('2026-12-31T00:00:00Z'),
  reference: 'batch-1',
  webhook: { endpointUrl: 'https://merchant.test/webhooks/payouts/r1', authorizationHeader: 'Bearer v1.k.abc' },
}
const batch = { uuid: 'OHXTEF9M', status: 'scheduled', currency: 'JPY', total_amount: '1000' }
const span = { from: new Date('2023-04-01T00:00:00Z'), to: new Date('2023-04-30T23:59:59.999Z') }

describe('payout methods', () => {
  it('are those of the site', async () => {
    const { service, client } = await clientOf(fixed('payout-methods'))
    expect((await client.listPayoutMethods(site('jpy'))).map(({ code, kind }) => [code, kind])).toEqual([
      ['jp_bank_jpy', 'BANK_TRANSFER'],
      ['jp_ewallet_new_jpy', 'EWALLET'],
    ])
    expect(service.requests[0]?.line).toBe('GET /api/v2/payouts/payout_methods HTTP/1.1')
  })

  it('tell their fields and their banks', async () => {
    const { service, client } = await clientOf(fixed('payout-method-params'))
    const method = await client.payoutMethodFields(site('jpy'), 'ph_bank_maya_php')
    expect(service.requests[0]?.line).toBe(
      'GET /api/v2/payouts/payout_method/params?payout_method_name=ph_bank_maya_php HTTP/1.1',
    )
    expect(method).toMatchObject({ code: 'ph_bank_maya_php', currency: 'PHP', minAmount: '200', requiresKyc: false })
    expect(method.fields.map(({ name }) => name)).toEqual(['account_number', 'account_name', 'bank_code'])
    expect(method.banks.map(({ code }) => code)).toEqual(['600', '601'])
  })
})

describe('createPayout', () => {
  it('sends the documented body and reads the record', async () => {
    const { service, client } = await clientOf(json(batch))
    expect(await client.createPayout(site('jpy'), request)).toMatchObject({ id: 'OHXTEF9M', status: 'scheduled' })
    expect(service.requests[0]).toMatchObject({
      line: 'POST /api/v2/payouts HTTP/1.1',
      body:
        '{"payout_transaction_details":[{"first_name":"Ada","last_name":"Payee","email":"ada@payee.test","amount":1000,"payout_method_params":{"bank_code":"600"}}],' +
        '"currency":"JPY","payout_method_name":"jp_bank_jpy","scheduled_at":"2026-12-31T00:00:00","description":"Salaries of May",' +
        '"webhook_notification":{"endpoint_url":"https://merchant.test/webhooks/payouts/r1","authorization_header":"Bearer v1.k.abc"},"external_id":"batch-1"}',
    })
  })

  it('is not sent for a site of another currency, nor with a wrong payee, and tells no name', async () => {
    const { service, client } = await clientOf(json(batch))
    const [payee] = request.transactions
    const transactions = payee === undefined ? [] : [{ ...payee, lastName: 'O’Payee' }]
    const foreign = await faultOf(client.createPayout(site('aud'), request))
    const wrong = await faultOf(client.createPayout(site('jpy'), { ...request, transactions }))
    const unsent = { kind: 'not-sent', reason: 'invalid-request' }
    expect([foreign.detail, wrong.detail]).toEqual([unsent, unsent])
    expect(wrong.message).not.toContain('Payee')
    expect(service.connections()).toBe(0)
  })
})

describe('getPayout', () => {
  it('asks by uuid in the query', async () => {
    const { service, client } = await clientOf(json(batch))
    expect(await client.getPayout(site('jpy'), 'OHXTEF9M')).toMatchObject({ id: 'OHXTEF9M', totalAmount: '1000' })
    expect(service.requests[0]?.line).toBe('GET /api/v2/payouts/detail?uuid=OHXTEF9M HTTP/1.1')
  })
})

describe('listPayouts', () => {
  it('asks for a span, and leaves out what is not of this account', async () => {
    const { service, client } = await clientOf(fixed('payouts-page'))
    const page = await client.listPayouts(site('jpy'), { ...span, page: 1 })
    expect(service.requests[0]?.line).toBe(
      'GET /api/v2/payouts/all?from_date=2023-04-01T00%3A00%3A00&to_date=2023-05-01T00%3A00%3A00&page=1 HTTP/1.1',
    )
    expect(page).toMatchObject({ page: 1, totalPages: 1, totalCount: 3 })
    expect(page.payouts.map(({ id }) => id)).toEqual(['OHXTEF9M'])
  })
})

describe('cancelScheduledPayout', () => {
  it('sends the uuid, and gives the word of the answer', async () => {
    const { service, client } = await clientOf(json({ status: 'ok' }))
    expect(await client.cancelScheduledPayout(site('jpy'), 'OHXTEF9M')).toEqual({ statusRaw: 'ok' })
    expect(service.requests[0]).toMatchObject({
      line: 'POST /api/v2/payouts/cancel_scheduled HTTP/1.1',
      body: '{"uuid":"OHXTEF9M"}',
    })
  })
})
