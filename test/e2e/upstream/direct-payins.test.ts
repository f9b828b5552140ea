import { describe, expect, it } from 'vitest'
import { createSites } from '../../../src/upstream/client/sites.ts'
import type { WirePayinRequest } from '../../../src/upstream/wire/wire-payin-request.ts'
import { clientOf, faultOf, fixed, json, site } from './open.ts'
import { answer } from './scripted-service.ts'

const request: WirePayinRequest = {
  currency: 'AUD',
  amount: '125.50',
  gst: true,
  customerName: 'Jo Payer',
  customerEmail: 'jo@payer.test',
  methodCode: 'au_payid_npp_aud',
  methodFields: { callback_url: 'https://merchant.test/back' },
  webhook: { endpointUrl: 'https://merchant.test/webhooks/payments/r1', authorizationHeader: 'Bearer v1.k.abc' },
}
const payin = { uuid: 'VMMAOTFQ', status: 'pending', currency: 'AUD', pay_code: { qr_string: '000201' } }
const refund = { uuid: 'APU221YS', amount: '40.50', description: 'Returned goods' }

describe('listDirectPayinMethods', () => {
  it('asks the v2 list, whose names are the codes', async () => {
    const { service, client } = await clientOf(fixed('payin-methods-v2'))
    expect(await client.listDirectPayinMethods(site())).toMatchObject([
      { code: 'au_payid_npp_aud', name: 'PayID', kind: 'ALIAS', minAmount: '20', maxAmount: '10000' },
      { code: 'au_card_aud', name: null, minAmount: null, cardBrands: null },
    ])
    expect(service.requests[0]?.line).toBe('GET /api/v2/payins/payin_methods HTTP/1.1')
  })
})

describe('payinMethodFields', () => {
  it('asks for one method, and reads what it needs', async () => {
    const { service, client } = await clientOf(fixed('payin-method-params'))
    const method = await client.payinMethodFields(site(), 'au_payid_npp_aud')
    expect(service.requests[0]?.line).toBe(
      'GET /api/v2/payins/payin_method/params?payin_method_name=au_payid_npp_aud HTTP/1.1',
    )
    expect(method.fields.map(({ name, required }) => [name, required])).toEqual([
      ['callback_url', true],
      ['user_id', false],
    ])
  })

  it('does not take the answer about another method', async () => {
    const { client } = await clientOf(fixed('payin-method-params'))
    expect((await faultOf(client.payinMethodFields(site(), 'au_card_aud'))).detail).toMatchObject({
      reason: 'mismatch',
    })
  })
})

describe('createPayin', () => {
  it('sends the documented body and gives how to pay', async () => {
    const { service, client } = await clientOf(json(payin))
    expect(await client.createPayin(site(), request)).toMatchObject({
      paymentId: 'VMMAOTFQ',
      linkId: null,
      status: 'pending',
      details: { instructions: { qr_string: '000201' } },
    })
    expect(service.requests[0]).toMatchObject({
      line: 'POST /api/v2/payins HTTP/1.1',
      body:
        '{"currency":"AUD","gst":true,"amount":125.50,"name":"Jo Payer","email":"jo@payer.test",' +
        '"payin_method_name":"au_payid_npp_aud","payin_method_params":{"callback_url":"https://merchant.test/back"},' +
        '"webhook_notification":{"endpoint_url":"https://merchant.test/webhooks/payments/r1","authorization_header":"Bearer v1.k.abc"}}',
    })
  })

  it('takes 201 for a success, and a record that is wrapped', async () => {
    const { client } = await clientOf(answer(201, JSON.stringify({ record: payin })))
    expect((await client.createPayin(site(), request)).paymentId).toBe('VMMAOTFQ')
  })

  it('is not sent in a currency that the site does not serve', async () => {
    const { service, client } = await clientOf(json(payin))
    const fault = await faultOf(client.createPayin(site('jpy'), request))
    expect(fault.detail).toEqual({ kind: 'not-sent', reason: 'invalid-request' })
    expect(service.connections()).toBe(0)
  })
})

describe('getPayin', () => {
  it('asks by uuid in the query', async () => {
    const { service, client } = await clientOf(json({ ...payin, status: 'received' }))
    expect(await client.getPayin(site(), 'VMMAOTFQ')).toMatchObject({ status: 'received' })
    expect(service.requests[0]?.line).toBe('GET /api/v2/payins/detail?uuid=VMMAOTFQ HTTP/1.1')
  })

  it.each(['', 'a&b', '../x'])('never asks for %o', async (uuid) => {
    const { service, client } = await clientOf(json(payin))
    expect((await faultOf(client.getPayin(site(), uuid))).detail).toMatchObject({ reason: 'invalid-request' })
    expect(service.connections()).toBe(0)
  })
})

describe('a cancellation', () => {
  it('sends the uuid to the assumed path, or to the one that the site names', async () => {
    const { service, client } = await clientOf(json({ status: 'ok' }), json({ status: 'ok' }))
    const [other = site()] = createSites([{ ...site(), paths: { cancelPayin: '/v2/payins/void' } }]).all
    for (const at of [site(), other]) expect(await client.cancelPayin(at, 'VMMAOTFQ')).toEqual({ statusRaw: 'ok' })
    expect(service.requests).toMatchObject([
      { line: 'POST /api/v2/payins/cancel HTTP/1.1', body: '{"uuid":"VMMAOTFQ"}' },
      { line: 'POST /api/v2/payins/void HTTP/1.1', body: '{"uuid":"VMMAOTFQ"}' },
    ])
  })
})

describe('a refund', () => {
  it('of a payin is asked for once, and read', async () => {
    const { service, client } = await clientOf(fixed('payin-refunded'))
    expect(await client.refundPayin(site(), refund)).toMatchObject({
      totalAmount: '100.0',
      refundAmount: '40.5',
      report: { paymentId: 'APU221YS', status: 'return_pending' },
    })
    expect(service.requests[0]).toMatchObject({
      line: 'POST /api/v2/payins/refund HTTP/1.1',
      body: '{"uuid":"APU221YS","amount":40.50,"description":"Returned goods"}',
    })
  })

  it('of a link has the same shape', async () => {
    const { service, client } = await clientOf(fixed('payin-refunded'))
    expect(await client.refundPayinLink(site(), { ...refund, uuid: '7AMCEF7H', amount: null })).toMatchObject({
      refundAmount: '40.5',
    })
    expect(service.requests[0]).toMatchObject({
      line: 'POST /api/v3/payin_links/refund HTTP/1.1',
      body: '{"uuid":"7AMCEF7H","description":"Returned goods"}',
    })
  })
})

describe('listPayins', () => {
  const search = { from: new Date('2030-01-02T03:04:05.678Z'), to: new Date('2030-01-02T03:24:05.678Z'), page: 2 }
  const endpointUrl = 'https://merchant.test/webhooks/payments/r1'

  it('asks for a span of time, and reads what can be read', async () => {
    const records = [
      { ...payin, webhook_notification: { endpoint_url: endpointUrl, authorization_header: '****' } },
      { ...payin, uuid: 'OTHERONE' },
      { ...payin, currency: 'JPY' },
      { status: 'pending' },
    ]
    const { service, client } = await clientOf(json({ records, page: 2, per_page: 20, total: 44 }))
    expect(await client.listPayins(site(), search)).toMatchObject({
      entries: [
        { report: { paymentId: 'VMMAOTFQ', status: 'pending' }, endpointUrl },
        { report: { paymentId: 'OTHERONE' }, endpointUrl: null },
      ],
      totalPages: 3,
    })
    const query = 'from_date=2030-01-02T03%3A04%3A05&to_date=2030-01-02T03%3A24%3A06&page=2'
    expect(service.requests[0]?.line).toBe(`GET /api/v2/payins/all?${query} HTTP/1.1`)
  })
})

describe('simulatePayin', () => {
  it('gives the answer as it came, as plain JSON', async () => {
    const { service, client } = await clientOf(answer(200, '{"status":"ok","amount":500,"exact":0.10}'))
    const simulation = { uuid: 'MB3Y26GO', status: 'completed', amount: '500' } as const
    expect(await client.simulatePayin(site(), simulation)).toEqual({ status: 'ok', amount: 500, exact: '0.10' })
    expect(service.requests[0]).toMatchObject({
      line: 'POST /api/v2/payins/simulate HTTP/1.1',
      body: '{"uuid":"MB3Y26GO","amount":500,"status":"completed"}',
    })
  })
})
