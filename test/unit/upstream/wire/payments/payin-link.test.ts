import { type ExactJson, stringifyExactJson } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it } from 'vitest'
import {
  type PayinLinkRequest,
  readCreatedPayinLink,
  toPayinLinkBody,
} from '../../../../../src/upstream/wire/wire-payin-request.ts'
import { fixture } from '../../../../fixtures/upstream/read.ts'

const request: PayinLinkRequest = {
  amount: { value: '125.50', currency: 'AUD' },
  description: 'Order 17',
  sender: { email: 'jo@payer.test', firstName: 'Jo', lastName: 'Payer' },
  webhook: { endpointUrl: 'https://merchant.test/webhooks/payments/r1', authorizationHeader: 'Bearer v1.k.abc' },
}

describe('toPayinLinkBody', () => {
  it('leaves out what was not given', () => {
    const written = toPayinLinkBody({ ...request, methodCode: null, successUrl: null })
    expect('body' in written && stringifyExactJson(written.body)).toBe(
      '{"amount":125.50,"description":"Order 17","sender_info":{"email":"jo@payer.test","first_name":"Jo","last_name":"Payer"},' +
        '"webhook_notification":{"endpoint_url":"https://merchant.test/webhooks/payments/r1","authorization_header":"Bearer v1.k.abc"}}',
    )
  })

  it('writes everything under the names of the payments API', () => {
    const written = toPayinLinkBody({
      ...request,
      sender: {
        ...request.sender,
        address: '1 Road',
        city: 'Town',
        postalCode: '2000',
        state: 'NSW',
        countryCode: 'AU',
        extra: { phone: '+61400000000', email: 'other@payer.test' },
      },
      methodCode: 'au_card_aud',
      expiresInSeconds: 900,
      successUrl: 'https://merchant.test/done',
      failureUrl: 'https://merchant.test/failed',
    })
    expect('body' in written && JSON.parse(stringifyExactJson(written.body))).toMatchObject({
      sender_info: {
        email: 'jo@payer.test',
        address: '1 Road',
        city: 'Town',
        postal_code: '2000',
        state: 'NSW',
        country_code: 'AU',
        phone: '+61400000000',
      },
      payin_method_code: 'au_card_aud',
      expires_in: 900,
      redirect_url: { success: 'https://merchant.test/done', failure: 'https://merchant.test/failed' },
    })
  })

  it('writes the reference as a webhook was recorded to return it', () => {
    const written = toPayinLinkBody({ ...request, reference: 'order-17' })
    expect('body' in written && written.body['meta_data']).toEqual(
      (fixture('link-nested-older') as { [key: string]: ExactJson })['meta_data'],
    )
    expect(toPayinLinkBody({ ...request, reference: null })).toEqual(toPayinLinkBody(request))
  })

  it.each<[string, Partial<PayinLinkRequest>, string]>([
    ['an amount with an exponent', { amount: { value: '1e3', currency: 'AUD' } }, 'amount'],
    ['an amount that a float would change', { amount: { value: '9007199254740993', currency: 'AUD' } }, 'amount'],
    ['an empty description', { description: '' }, 'description'],
    ['a page over plain http', { successUrl: 'http://merchant.test/' }, 'redirect_url.success'],
    ['a script as a page', { failureUrl: 'javascript:alert(1)' }, 'redirect_url.failure'],
    [
      'a webhook over plain http',
      { webhook: { endpointUrl: 'http://merchant.test/', authorizationHeader: 'x' } },
      'webhook_notification.endpoint_url',
    ],
  ])('refuses %s and names only the place', (_name, change, path) => {
    expect(toPayinLinkBody({ ...request, ...change })).toEqual({ faults: [path] })
  })
})

describe('readCreatedPayinLink', () => {
  it('reads the documented answer', () => {
    expect(readCreatedPayinLink(fixture('payin-link-created'))).toEqual({
      uuid: '7AMCEF7H',
      paymentUrl: 'https://checkout.test/N0FNQ0VGN0g',
      expiresAt: '2026-12-31T00:00:00.000Z',
    })
  })

  it.each<[string, string]>([
    ['expires_at', '2026-12-31T00:00:00Z'],
    ['expried_at', '2026-12-31T00:00:00.000+0000'],
  ])('reads the expiry spelt %s', (key, value) => {
    const link = readCreatedPayinLink({ uuid: 'L1', payment_link_url: 'https://checkout.test/x', [key]: value })
    expect(link).toEqual({ uuid: 'L1', paymentUrl: 'https://checkout.test/x', expiresAt: '2026-12-31T00:00:00.000Z' })
  })

  it.each<[string, ExactJson]>([
    ['no uuid', { payment_url: 'https://checkout.test/x' }],
    ['no address', { uuid: 'L1' }],
    ['an address over plain http', { uuid: 'L1', payment_url: 'http://checkout.test/x' }],
    ['a uuid that is a path', { uuid: '../x', payment_url: 'https://checkout.test/x' }],
    ['a list', []],
    ['null', null],
  ])('reads no link from an answer with %s', (_name, json) => {
    expect(readCreatedPayinLink(json)).toBeNull()
  })
})
