import { stringifyExactJson } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it } from 'vitest'
import type { RequestBody } from '../../../../../src/upstream/wire/values/wire-fields.ts'
import {
  type WirePayinRequest,
  toPayinBody,
  toPayinSimulationBody,
  readRefund,
  toRefundBody,
} from '../../../../../src/upstream/wire/wire-payin-request.ts'
import { fixture } from '../../../../fixtures/upstream/read.ts'

const request: WirePayinRequest = {
  currency: 'PHP',
  amount: '500.10',
  gst: false,
  customerName: 'Jo Payer',
  customerEmail: 'jo@payer.test',
  methodCode: 'ph_bank_maya_php',
  methodFields: {},
  webhook: { endpointUrl: 'https://merchant.test/webhooks/payments/r1', authorizationHeader: 'Bearer v1.k.abc' },
}

const textOf = (written: RequestBody) => stringifyExactJson('body' in written && written.body)

describe('toPayinBody', () => {
  it('leaves out what was not given', () => {
    expect(textOf(toPayinBody({ ...request, description: null, expiresAt: null }))).toBe(
      '{"currency":"PHP","gst":false,"amount":500.10,"name":"Jo Payer","email":"jo@payer.test",' +
        '"payin_method_name":"ph_bank_maya_php","payin_method_params":{},' +
        '"webhook_notification":{"endpoint_url":"https://merchant.test/webhooks/payments/r1","authorization_header":"Bearer v1.k.abc"}}',
    )
  })

  it('writes everything under the names of the payments API', () => {
    const written = toPayinBody({
      ...request,
      description: 'Order 17',
      reference: 'order-17',
      expiresAt: new Date('2026-12-31T01:02:03.456Z'),
      methodFields: { user_id: 'u1', transliterate: true, absent: null },
    })
    expect(JSON.parse(textOf(written))).toMatchObject({
      external_id: 'order-17',
      description: 'Order 17',
      payin_method_params: { user_id: 'u1', transliterate: true },
      expired_at: '2026-12-31T01:02:03.000+0000',
    })
    expect(textOf(written)).not.toContain('absent')
  })

  it('leaves the amount open with one method only', () => {
    const open = { ...request, amount: null, currency: 'USDC', methodCode: 'usdc_bank' }
    expect(textOf(toPayinBody(open))).not.toContain('amount')
    expect(toPayinBody({ ...request, amount: null })).toEqual({ faults: ['amount'] })
  })

  it.each<[string, Partial<WirePayinRequest>, string]>([
    ['an amount with an exponent', { amount: '1e3' }, 'amount'],
    ['GST outside AUD', { gst: true }, 'gst'],
    ['a method with a space', { methodCode: 'ph bank' }, 'payin_method_name'],
    ['a field that is no JSON', { methodFields: { user_id: () => 1 } }, 'payin_method_params.user_id'],
    [
      'a field whose name may be anything',
      { methodFields: { 'jo@payer.test': undefined, ['j'.repeat(101)]: 'x' } },
      'payin_method_params.?',
    ],
  ])('refuses %s and names only the place', (_name, change, place) => {
    expect(toPayinBody({ ...request, ...change })).toEqual({ faults: [place] })
  })

  it('writes GST for AUD', () => {
    expect(textOf(toPayinBody({ ...request, currency: 'AUD', gst: true }))).toContain('"gst":true')
  })
})

describe('toPayinSimulationBody', () => {
  it('writes the amount only when one is given', () => {
    expect(textOf(toPayinSimulationBody({ uuid: 'MB3Y26GO', status: 'completed', amount: null }))).toBe(
      '{"uuid":"MB3Y26GO","status":"completed"}',
    )
    expect(textOf(toPayinSimulationBody({ uuid: 'MB3Y26GO', status: 'failed', amount: '500' }))).toBe(
      '{"uuid":"MB3Y26GO","amount":500,"status":"failed"}',
    )
  })
})

describe('a refund', () => {
  it('of everything has no amount', () => {
    expect(textOf(toRefundBody({ uuid: 'APU221YS', amount: null, description: 'Returned goods' }))).toBe(
      '{"uuid":"APU221YS","description":"Returned goods"}',
    )
    expect(textOf(toRefundBody({ uuid: 'APU221YS', amount: '40.50', description: 'Returned goods' }))).toBe(
      '{"uuid":"APU221YS","amount":40.50,"description":"Returned goods"}',
    )
  })

  it.each([
    [{ uuid: '../x' }, 'uuid'],
    [{ amount: '-1' }, 'amount'],
    [{ description: 'bad  ' }, 'description'],
  ])('with %o is refused', (change, place) => {
    expect(toRefundBody({ uuid: 'APU221YS', amount: null, description: 'Returned goods', ...change })).toEqual({
      faults: [place],
    })
  })

  it('reads the documented answer, with its two other spellings', () => {
    const answer = readRefund(fixture('payin-refunded'))
    expect(answer).toMatchObject({
      totalAmount: '100.0',
      refundAmount: '40.5',
      report: { paymentId: 'APU221YS', status: 'return_pending', details: { expiresAt: '2021-12-23T06:00:00.000Z' } },
    })
    expect(JSON.stringify(answer)).not.toContain('authorization')
  })

  it('reads an answer without a payment, and a payment without an answer', () => {
    expect(readRefund({ total_amount: '100.0', refund_amount: 'x' })).toEqual({
      report: null,
      totalAmount: '100.0',
      refundAmount: null,
    })
    expect(readRefund(fixture('payment-flat-refunded'))?.report?.paymentId).toBe('APU221YS')
  })

  it.each([[{}], [{ status: 'ok' }], [[]], [null], ['ok']])('reads nothing from %o', (json) => {
    expect(readRefund(json)).toBeNull()
  })
})
