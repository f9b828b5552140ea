import { describe, expect, it } from 'vitest'
import type { PayinLinkRequest } from '../../../src/upstream/wire/wire-payin-request.ts'
import { clientOf, faultOf, fixed, json, site } from './open.ts'
import { answer } from './scripted-service.ts'

const link: PayinLinkRequest = {
  amount: { value: '125.50', currency: 'AUD' },
  description: 'Order 17',
  sender: { email: 'jo@payer.test', firstName: 'Jo', lastName: 'Payer' },
  methodCode: 'au_card_aud',
  expiresInSeconds: 1800,
  webhook: { endpointUrl: 'https://merchant.test/webhooks/payments/r1', authorizationHeader: 'Bearer v1.k.abc' },
}

describe('listPayinMethods', () => {
  it('asks the v3 list', async () => {
    const { service, client } = await clientOf(fixed('payin-methods'))
    const methods = await client.listPayinMethods(site())
    expect(methods.map(({ code, maxAmount }) => [code, maxAmount])).toEqual([
      ['au_card_aud', '10000.5'],
      ['au_payid_npp_aud', null],
    ])
    expect(service.requests[0]?.line).toBe('GET /api/v3/payin_methods HTTP/1.1')
  })

  it('leaves out what is no method, a repeat, or in another currency', async () => {
    const { client } = await clientOf(
      json({
        records: [
          null,
          { payin_method_name: 'Nameless' },
          { payin_method_code: 'au_card_aud', payin_method_name: 'First' },
          { payin_method_code: 'jp_card_jpy', currency: 'JPY' },
          { payin_method_code: 'au_card_aud', payin_method_name: 'Second' },
        ],
      }),
    )
    const methods = await client.listPayinMethods(site())
    expect(methods.map(({ code, name }) => [code, name])).toEqual([['au_card_aud', 'First']])
  })
})

describe('createPayinLink', () => {
  it.each([
    ['Tue, 15 Nov 1994 08:12:31 GMT', '1994-11-15T08:12:31.000Z'],
    ['yesterday', null],
    ['', null],
  ])('reads the clock of the payments API from the date of its answer: %s', async (date, expected) => {
    const body = '{"uuid":"7AMCEF7H","payment_url":"https://checkout.test/x"}'
    const { client } = await clientOf(answer(200, body, { date }))
    const { answeredAt } = await client.createPayinLink(site(), link)
    expect(answeredAt?.toISOString() ?? null).toBe(expected)
  })

  it('sends the documented body and reads the documented answer', async () => {
    const { service, client } = await clientOf(fixed('payin-link-created'))
    expect(await client.createPayinLink(site(), link)).toEqual({
      uuid: '7AMCEF7H',
      paymentUrl: 'https://checkout.test/N0FNQ0VGN0g',
      expiresAt: '2026-12-31T00:00:00.000Z',
      answeredAt: null,
    })
    expect(service.requests[0]).toMatchObject({
      line: 'POST /api/v3/payin_links HTTP/1.1',
      body:
        '{"amount":125.50,"description":"Order 17","sender_info":{"email":"jo@payer.test","first_name":"Jo","last_name":"Payer"},' +
        '"payin_method_code":"au_card_aud","expires_in":1800,' +
        '"webhook_notification":{"endpoint_url":"https://merchant.test/webhooks/payments/r1","authorization_header":"Bearer v1.k.abc"}}',
    })
  })

  it.each([
    ['no address', { uuid: '7AMCEF7H', expired_at: '2026-12-31T00:00:00Z' }],
    ['a script for an address', { uuid: '7AMCEF7H', payment_url: 'javascript:alert(1)' }],
  ])('does not know what a 200 with %s made', async (_name, body) => {
    const { service, client } = await clientOf(json(body))
    expect((await faultOf(client.createPayinLink(site(), link))).detail).toEqual({
      kind: 'unknown',
      reason: 'misshapen',
      httpStatus: 200,
      retryAfterSeconds: null,
    })
    expect(service.requests).toHaveLength(1)
  })

  it.each<[string, PayinLinkRequest]>([
    ['in a currency of another site', { ...link, amount: { value: '100', currency: 'JPY' } }],
    ['with an amount that is no decimal', { ...link, amount: { value: '1e3', currency: 'AUD' } }],
    ['that expires too soon', { ...link, expiresInSeconds: 60 }],
  ])('does not send a link %s', async (_name, request) => {
    const { service, client } = await clientOf(fixed('payin-link-created'))
    const fault = await faultOf(client.createPayinLink(site(), request))
    expect(fault.detail).toEqual({ kind: 'not-sent', reason: 'invalid-request' })
    expect(fault.message).not.toMatch(/jo@|Bearer|1e3/)
    expect(service.connections()).toBe(0)
  })
})

describe('getPayinLink', () => {
  it('reads the flat form, whose uuid is the payment', async () => {
    const { service, client } = await clientOf(fixed('payment-flat-authorised'))
    const report = await client.getPayinLink(site(), '7AMCEF7H')
    expect(report).toMatchObject({ paymentId: 'VMMAOTFQ', linkId: null, status: 'authorised' })
    expect(service.requests[0]?.line).toBe('GET /api/v3/payin_links/7AMCEF7H HTTP/1.1')
  })

  it.each([{ uuid: '7AMCEF7H' }, { uuid: '../x', status: 'received' }])(
    'does not take %o for a payment',
    async (body) => {
      const { client } = await clientOf(json(body))
      expect((await faultOf(client.getPayinLink(site(), '7AMCEF7H'))).detail).toMatchObject({
        kind: 'unknown',
        reason: 'misshapen',
      })
    },
  )

  it.each(['../../v1/payment_gateways/access_token', 'a/b', 'a?b', '', 'x'.repeat(65), '.'])(
    'never asks for %s',
    async (uuid) => {
      const { service, client } = await clientOf(json({}))
      expect((await faultOf(client.getPayinLink(site(), uuid))).detail).toEqual({
        kind: 'not-sent',
        reason: 'invalid-request',
      })
      expect(service.connections()).toBe(0)
    },
  )
})

describe('listPayinLinks', () => {
  it('passes filters on, and finds links by their webhook address', async () => {
    const { service, client } = await clientOf(fixed('payin-links-page'))
    const page = await client.listPayinLinks(site(), { from_date: '2026-01-01T00:00:00', page: 2, status: 'pending' })
    expect(service.requests[0]?.line).toBe(
      'GET /api/v3/payin_links?from_date=2026-01-01T00%3A00%3A00&page=2&status=pending HTTP/1.1',
    )
    expect(page).toMatchObject({ page: 2, totalPages: 3 })
    expect(page.entries.map(({ report, endpointUrl }) => [report.paymentId, endpointUrl])).toEqual([
      ['7AMCEF7H', 'https://merchant.test/webhooks/payments/r1'],
      ['VMMAOTFQ', null],
    ])
  })
})
