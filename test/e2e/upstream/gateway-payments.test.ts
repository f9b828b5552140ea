import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createAccessTokens, gatewayPaymentCalls } from '../../../src/upstream/endpoints/gateway-endpoints.ts'
import type { GatewayPaymentRequest } from '../../../src/upstream/wire/wire-gateway-payment.ts'
import { fixtureText } from '../../fixtures/upstream/read.ts'
import { faultOf, open, serve, site } from './open.ts'
import { answer, type Script } from './scripted-service.ts'

const request: GatewayPaymentRequest = {
  reference: '34097959-a153-48d4-bdab-14332bf7a92d',
  amount: { value: '100.50', currency: 'AUD' },
  description: 'Order payment',
  successUrl: 'https://merchant.test/done',
  webhook: { endpointUrl: 'https://merchant.test/webhooks/payments/r1', authorizationHeader: 'Bearer v1.k.abc' },
  billing: { firstName: 'Jo', lastName: 'Payer', phone: '+61412345678', email: 'jo@payer.test' },
}
const inYen = { ...request, amount: { value: '100', currency: 'JPY' } }

const TOKEN = 'GET /api/v1/payment_gateways/access_token HTTP/1.1'
const PAYMENT = 'POST /api/v1/payment_gateways/create_payment HTTP/1.1'
const PAID = answer(200, fixtureText('gateway-payment'))
const UNAUTHORISED = answer(401)

type Gateway = {
  /** The n-th answer to a request for a token, from 1. By default its token is `token-<n>`. */
  readonly token?: (issued: number) => Script
  readonly payment?: (token: string) => Script
  readonly withinMs?: number
  /** `own`: the clock that tokens have in production. Default: a manual clock. */
  readonly clock?: 'own'
}

/** Starts a service with the two endpoints and a client of it, by default on a manual clock. */
async function gateway({
  token = (issued) => tokenAnswer(issued),
  payment = () => PAID,
  clock,
  ...options
}: Gateway = {}) {
  let issued = 0
  const service = await serve((socket, seen) => {
    if (seen.line === TOKEN) {
      issued += 1
      token(issued)(socket, seen)
    } else payment(seen.headers.get('access-token') ?? '')(socket, seen)
  })
  let now = 1_000
  const transport = open(service.baseUrl)
  const tokens = createAccessTokens({ transport, ...(clock === 'own' ? {} : { clock: () => now }) })
  const sent = (line: string) => service.requests.filter((seen) => seen.line === line)
  return {
    service,
    tokens,
    calls: gatewayPaymentCalls(transport, { tokens, ...options }),
    tokenCalls: () => sent(TOKEN).length,
    payments: () => sent(PAYMENT),
    pass: (seconds: number) => {
      now += seconds * 1_000
    },
  }
}

function tokenAnswer(issued: number, expiresIn: unknown = 3600): Script {
  return answer(200, JSON.stringify({ access_token: `token-${issued}`, expires_in: expiresIn }))
}

describe('createGatewayPayment', () => {
  it('sends all three headers, and reads the documented answer', async () => {
    const { service, calls, payments } = await gateway()
    expect(await calls.createGatewayPayment(site(), request)).toEqual({
      paymentId: '46345',
      reference: request.reference,
      redirectUrl: 'https://gateway.test/pay?payment=eyJhbGciOiJIUzI1NiJ9',
    })
    expect(service.requests.map(({ line }) => line)).toEqual([TOKEN, PAYMENT])
    const [sent] = payments()
    expect(['app-id', 'secret-key', 'access-token'].map((name) => sent?.headers.get(name))).toEqual([
      'app-aud',
      'key-aud',
      'token-1',
    ])
    expect(sent?.body).toBe(
      '{"order_id":"34097959-a153-48d4-bdab-14332bf7a92d","amount":100.50,"description":"Order payment","order_success_url":"https://merchant.test/done",' +
        '"payment_gateway_notification":{"endpoint_url":"https://merchant.test/webhooks/payments/r1","authorization_header":"Bearer v1.k.abc"},' +
        '"order_details":{"billing_details":{"first_name":"Jo","last_name":"Payer","phone":"+61412345678","email":"jo@payer.test"}}}',
    )
  })

  it.each([
    ['{"payment_id":46345}', 'misshapen'],
    ['{"payment_id":46345,"redirect_url":"javascript:1"}', 'misshapen'],
    ['{"payment_id":46345,"redirect_url":"https://gateway.test/","order_id":"other"}', 'mismatch'],
  ])('does not know what a 200 of %s made', async (body, reason) => {
    const { calls, payments } = await gateway({ payment: () => answer(200, body) })
    expect((await faultOf(calls.createGatewayPayment(site(), request))).detail).toMatchObject({
      kind: 'unknown',
      reason,
    })
    expect(payments()).toHaveLength(1)
  })

  it('asks for no token for what it does not send', async () => {
    const { service, calls } = await gateway()
    for (const wrong of [inYen, { ...request, reference: '' }])
      expect((await faultOf(calls.createGatewayPayment(site(), wrong))).detail).toEqual({
        kind: 'not-sent',
        reason: 'invalid-request',
      })
    expect(service.connections()).toBe(0)
  })

  it.each([403, 400, 422, 429, 500, 503])('is never sent again after %i', async (status) => {
    const { calls, payments, tokenCalls } = await gateway({ payment: () => answer(status) })
    await faultOf(calls.createGatewayPayment(site(), request))
    expect([payments().length, tokenCalls()]).toEqual([1, 1])
  })
})

describe('the access token', () => {
  it('is asked for once by a thousand who come with an expired one', async () => {
    const { tokens, tokenCalls, pass } = await gateway()
    await tokens.current(site())
    pass(3_600)
    const all = await Promise.all(Array.from({ length: 1_000 }, () => tokens.current(site())))
    expect(new Set(all.map((token) => token.reveal()))).toEqual(new Set(['token-2']))
    expect(tokenCalls()).toBe(2)
  })

  it('is used up to 80 % of its life, then renewed behind the caller’s back', async () => {
    const { service, tokens, tokenCalls, pass } = await gateway()
    const first = await tokens.current(site())
    pass(2_879)
    expect(await tokens.current(site())).toBe(first)
    expect(tokenCalls()).toBe(1)
    pass(1)
    expect(await tokens.current(site())).toBe(first)
    await service.arrived(2)
    await expect.poll(async () => (await tokens.current(site())).reveal()).toBe('token-2')
    expect(tokenCalls()).toBe(2)
  })

  it('is still used when its renewal fails, as long as it lives', async () => {
    const { service, tokens, pass } = await gateway({
      token: (issued) => (issued === 1 ? tokenAnswer(1) : answer(400)),
    })
    await tokens.current(site())
    pass(3_599)
    expect((await tokens.current(site())).reveal()).toBe('token-1')
    await service.arrived(2)
    pass(1)
    expect((await faultOf(tokens.current(site()))).detail).toMatchObject({ kind: 'refused', httpStatus: 400 })
  })

  it('is renewed once after a 401, and the payment sent once more with it', async () => {
    const { service, calls } = await gateway({ payment: (token) => (token === 'token-1' ? UNAUTHORISED : PAID) })
    expect((await calls.createGatewayPayment(site(), request)).paymentId).toBe('46345')
    expect(service.requests.map(({ line }) => line)).toEqual([TOKEN, PAYMENT, TOKEN, PAYMENT])
    await calls.createGatewayPayment(site(), request)
    expect(service.requests).toHaveLength(5)
  })

  it('that is never accepted ends after two payments', async () => {
    const { calls, payments, tokenCalls } = await gateway({ payment: () => UNAUTHORISED })
    const fault = await faultOf(calls.createGatewayPayment(site(), request))
    expect(fault.detail).toEqual({ kind: 'credentials', httpStatus: 401, site: 'aud' })
    expect([payments().length, tokenCalls()]).toEqual([2, 2])
  })

  it.each<[string, Script, object]>([
    ['500', answer(500), { kind: 'not-sent', reason: 'no-token' }],
    ['a 200 without one', answer(200, '{}'), { kind: 'not-sent', reason: 'no-token' }],
    ['a broken connection', (socket) => socket.resetAndDestroy(), { kind: 'not-sent', reason: 'no-token' }],
    ['401', UNAUTHORISED, { kind: 'credentials', httpStatus: 401, site: 'aud' }],
    ['400', answer(400), { kind: 'refused', httpStatus: 400 }],
    ['429', answer(429), { kind: 'throttled', httpStatus: 429 }],
  ])('that cannot be had because of %s leaves no payment in doubt', async (_name, script, detail) => {
    const { calls, payments } = await gateway({ token: () => script })
    expect((await faultOf(calls.createGatewayPayment(site(), request))).detail).toMatchObject(detail)
    expect(payments()).toHaveLength(0)
  })

  it('is not worth a second payment when there is no time left for its answer', async () => {
    const { calls, payments } = await gateway({ payment: () => UNAUTHORISED, withinMs: 4_000 })
    expect((await faultOf(calls.createGatewayPayment(site(), request))).detail).toMatchObject({ kind: 'credentials' })
    expect(payments()).toHaveLength(1)
  })

  it('that cannot be renewed after a 401 leaves no payment in doubt', async () => {
    const { calls, payments } = await gateway({
      token: (issued) => (issued === 1 ? tokenAnswer(1) : answer(500)),
      payment: () => UNAUTHORISED,
    })
    expect((await faultOf(calls.createGatewayPayment(site(), request))).detail).toEqual({
      kind: 'not-sent',
      reason: 'no-token',
    })
    expect(payments()).toHaveLength(1)
  })

  it('shows in no error and in no printed object', async () => {
    const { calls, tokens } = await gateway({ payment: () => UNAUTHORISED })
    const fault = await faultOf(calls.createGatewayPayment(site(), request))
    expect(inspect([fault, tokens, await tokens.current(site())], { depth: 9, showHidden: true })).not.toMatch(
      /token-\d/,
    )
  })
})
