import { type ExactJson, parseExactJson, stringifyExactJson } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it } from 'vitest'
import type { GatewayItem } from '../../../../../src/domain/gateway/gateway-payment.ts'
import {
  type GatewayPaymentRequest,
  readGatewayCallback,
  readGatewayPayment,
  toGatewayPaymentBody,
} from '../../../../../src/upstream/wire/wire-gateway-payment.ts'
import { fixture } from '../../../../fixtures/upstream/read.ts'

const billing = { firstName: 'Jo', lastName: 'Payer', phone: '+61412345678', email: 'jo@payer.test' }
const request: GatewayPaymentRequest = {
  reference: '34097959-a153-48d4-bdab-14332bf7a92d',
  amount: { value: '100.50', currency: 'AUD' },
  description: 'Order payment',
  successUrl: 'https://merchant.test/done',
  webhook: { endpointUrl: 'https://merchant.test/webhooks/payments/r1', authorizationHeader: 'Bearer v1.k.abc' },
  billing,
}
const item: GatewayItem = { id: 'i1', name: 'Ticket', quantity: 2, price: '50.2' }

const textOf = (written: ReturnType<typeof toGatewayPaymentBody>) =>
  stringifyExactJson('body' in written && written.body)

describe('toGatewayPaymentBody', () => {
  it('leaves out what was not given', () => {
    expect(textOf(toGatewayPaymentBody({ ...request, shipping: null, items: null }))).toBe(
      '{"order_id":"34097959-a153-48d4-bdab-14332bf7a92d","amount":100.50,"description":"Order payment",' +
        '"order_success_url":"https://merchant.test/done",' +
        '"payment_gateway_notification":{"endpoint_url":"https://merchant.test/webhooks/payments/r1","authorization_header":"Bearer v1.k.abc"},' +
        '"order_details":{"billing_details":{"first_name":"Jo","last_name":"Payer","phone":"+61412345678","email":"jo@payer.test"}}}',
    )
  })

  it('writes everything under the names of the payments API, quantities and prices as texts', () => {
    const written = toGatewayPaymentBody({
      ...request,
      shipping: {
        ...billing,
        company: 'C',
        address: 'A',
        city: 'T',
        postalCode: '2000',
        state: 'NSW',
        countryCode: 'AU',
      },
      items: [
        item,
        { ...item, price: '7', variantId: 'v', imageUrl: 'https://merchant.test/i.png', enableCashback: false },
      ],
    })
    expect(JSON.parse(textOf(written)).order_details).toMatchObject({
      shipping_details: {
        company: 'C',
        address: 'A',
        city: 'T',
        postal_code: '2000',
        state: 'NSW',
        country_code: 'AU',
      },
      items: [
        { id: 'i1', name: 'Ticket', quantity: '2', price: '50.20' },
        { price: '7.00', variant_id: 'v', image_url: 'https://merchant.test/i.png', enable_cashback: false },
      ],
    })
  })

  it.each<[string, Partial<GatewayPaymentRequest>, string]>([
    ['an amount with an exponent', { amount: { value: '1e2', currency: 'AUD' } }, 'amount'],
    ['an empty order id', { reference: '' }, 'order_id'],
    ['a page over plain http', { successUrl: 'http://merchant.test/' }, 'order_success_url'],
    ['a contact without a telephone', { billing: { ...billing, phone: '' } }, 'order_details.billing_details.phone'],
    ['half an item', { items: [{ ...item, quantity: 0.5 }] }, 'order_details.items.0.quantity'],
    ['a price with three decimals', { items: [{ ...item, price: '1.234' }] }, 'order_details.items.0.price'],
    ['a script as an image', { items: [{ ...item, imageUrl: 'javascript:1' }] }, 'order_details.items.0.image_url'],
  ])('refuses %s and names only the place', (_name, change, place) => {
    expect(toGatewayPaymentBody({ ...request, ...change })).toEqual({ faults: [place] })
  })
})

describe('readGatewayPayment', () => {
  it('reads the documented answer', () => {
    expect(readGatewayPayment(fixture('gateway-payment'))).toEqual({
      paymentId: '46345',
      reference: '34097959-a153-48d4-bdab-14332bf7a92d',
      redirectUrl: 'https://gateway.test/pay?payment=eyJhbGciOiJIUzI1NiJ9',
    })
  })

  it.each<[string, ExactJson]>([
    ['no id', { redirect_url: 'https://gateway.test/pay' }],
    ['an id that is no number', { payment_id: 'x', redirect_url: 'https://gateway.test/pay' }],
    ['no address', { payment_id: '46345' }],
    ['a script for an address', { payment_id: '46345', redirect_url: 'javascript:alert(1)' }],
    ['a list', []],
  ])('reads nothing from an answer with %s', (_name, json) => {
    expect(readGatewayPayment(json)).toBeNull()
  })
})

describe('readGatewayCallback', () => {
  it('reads the three fields that are known, and nothing else', () => {
    const body = { payment_id: 46345, order_id: 'order-1', status: 'received', amount: 5, email: 'jo@payer.test' }
    expect(readGatewayCallback(parseExactJson(JSON.stringify(body)))).toEqual({
      id: '46345',
      reference: 'order-1',
      statusRaw: 'received',
      status: 'received',
    })
  })

  it.each([
    [{ payment_id: '46345', status: 'created' }, 'created'],
    [{ payment_id: '46345', status: 'refunded' }, 'return_received'],
    [{ payment_id: '46345', status: 'quite_new' }, null],
  ])('reads %j', (body, status) => {
    expect(readGatewayCallback(parseExactJson(JSON.stringify(body)))).toMatchObject({
      id: '46345',
      reference: null,
      status,
      statusRaw: body.status,
    })
  })

  it.each([
    [null],
    ['received'],
    [[]],
    [{}],
    [{ payment_id: 46345 }],
    [{ status: 'received' }],
    [{ payment_id: 'x', status: 'received' }],
    [{ payment_id: 4.5, status: 'received' }],
    [{ payment_id: 1, status: { is: 'received' } }],
  ])('reads nothing of %j', (body) => {
    expect(readGatewayCallback(parseExactJson(JSON.stringify(body)))).toBeNull()
  })
})
