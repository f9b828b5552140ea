import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startCallbackRouter, type CallbackRouter } from '../support/callback-router.ts'
import { openEvents } from '../support/events.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { greetedSocket, openSocket, type Message } from '../support/socket.ts'
import { defaultAddress, deliver, paymentBody } from '../support/webhooks.ts'
import { CLAIMS, issuerKey, rsToken } from '../unit/access/tokens.ts'
import { startJwksServer, type JwksServer } from './access/jwks-server.ts'

const QUERY = '{ payments { nodes { id } } }'
const key = issuerKey('key-1')
const newKey = issuerKey('key-2')

const ROUTER_SECRET = 'router-secret-of-the-tests'

let issuer: JwksServer
let router: CallbackRouter
let network: Network
beforeAll(async () => {
  issuer = await startJwksServer()
  router = await startCallbackRouter()
})
beforeEach(async () => {
  issuer.publish(key.jwk)
  issuer.fetches = 0
  network = await startNetwork({
    env: {
      JWT_SECRETS: '',
      JWT_JWKS_URL: issuer.url,
      JWT_ISSUER: 'issuer',
      JWT_AUDIENCE: 'payments',
      ROUTER_SECRETS: ROUTER_SECRET,
      CALLBACK_ORIGINS: router.origin,
    },
  })
})
afterEach(() => network.close())
afterAll(async () => {
  await issuer.close()
  await router.close()
})

const tokenOf = (jti: number, claims: object = {}) => rsToken(key, { ...CLAIMS, jti: String(jti), ...claims })
const statusOf = async (token: string) => (await network.ask(QUERY, {}, { token })).status

async function closeCodeOf(token: string): Promise<number> {
  const socket = await openSocket(network.app.url)
  socket.send({ type: 'connection_init', payload: { token } })
  return (await socket.closed).code
}

describe("while the issuer's keys cannot be had", () => {
  it.each<[string, JwksServer['answer'] | 'hangs up']>([
    ['fails', { status: 500, body: '' }],
    ['hangs up', 'hangs up'],
  ])('since it %s, no token is called wrong, and none is believed', async (_how, answer) => {
    if (answer === 'hangs up') issuer.respond = (response) => response.destroy()
    else issuer.answer = answer
    const refused = await network.ask(QUERY, {}, { token: tokenOf(1) })
    expect(refused).toMatchObject({
      status: 503,
      errors: [{ message: 'Tokens cannot be verified at the moment.', extensions: { code: 'TOKEN_KEYS_UNAVAILABLE' } }],
    })
    expect(refused.data).toBeUndefined()
    expect(await closeCodeOf(tokenOf(2))).toBe(1013)
    expect(await statusOf('a.b.c')).toBe(401)
    expect((await network.ask('{ paymentCurrencies { code } }', {}, { token: null })).status).toBe(200)
    expect(issuer.fetches).toBe(1)
    expect(network.log().match(/"code":"TOKEN_KEYS_UNAVAILABLE"/g)).toHaveLength(1)
    expect(network.log()).not.toContain(issuer.url)
  })
})

describe('keys that are fetched anew', () => {
  const STREAM = 'subscription { paymentEventStream { kind } }'
  const claims = (jti: string) => ({ ...CLAIMS, scope: 'payments:read', jti })
  const subscribed = async (token: string) => {
    const socket = await greetedSocket(network.app.url, { token })
    socket.send({ type: 'subscribe', id: '1', payload: { query: STREAM } })
    expect(await socket.next()).toMatchObject({ type: 'next' })
    return socket
  }
  const listening = (token: string) =>
    openEvents(network.app.url, { operation: { query: STREAM }, headers: { authorization: `Bearer ${token}` } })

  it('end the streams of a withdrawn key at once, and no others', async () => {
    issuer.publish(key.jwk, newKey.jwk)
    const [old, other] = [rsToken(key, claims('old')), rsToken(newKey, claims('new'))]
    const ended = await subscribed(old)
    const steady = await subscribed(other)
    const [endedEvents, steadyEvents] = [await listening(old), await listening(other)]
    issuer.publish(newKey.jwk)
    expect([await statusOf(old), await statusOf(other)]).toEqual([200, 200])

    await network.app.refetchTokenKeys()
    expect(await ended.closed).toEqual({ code: 4403, reason: 'Token no longer valid' })
    const last = (await endedEvents.rest()).at(-1)
    expect(last).toMatchObject({ event: 'next' })
    expect(JSON.parse(last?.data ?? '')).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
    expect([await statusOf(old), await statusOf(other)]).toEqual([401, 200])
    expect(network.log()).toContain('the keys for client tokens were fetched again')

    const { status } = await deliver(defaultAddress(network), paymentBody())
    expect(status).toBe(200)
    await expect.poll(() => steady.waiting.some(isEvent)).toBe(true)
    expect(steadyEvents.text()).not.toContain('UNAUTHENTICATED')
    steadyEvents.cut()
    steady.close()
  })

  it('end the callbacks of a withdrawn key, too', async () => {
    issuer.publish(key.jwk, newKey.jwk)
    const [id, token] = [randomUUID(), rsToken(key, claims('callback'))]
    const subscription = {
      callbackUrl: `${router.origin}/c`,
      subscriptionId: id,
      verifier: 'v',
      heartbeatIntervalMs: 0,
    }
    const response = await fetch(`${network.app.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json;callbackSpec=1.0',
        authorization: `Bearer ${token}`,
        'x-router-secret': ROUTER_SECRET,
      },
      body: JSON.stringify({ query: STREAM, extensions: { subscription } }),
    })
    expect(response.status).toBe(200)
    await expect.poll(() => router.told.some(({ action }) => action === 'next')).toBe(true)
    issuer.publish(newKey.jwk)
    await network.app.refetchTokenKeys()
    await expect.poll(() => router.told.at(-1)?.action).toBe('complete')
    expect(router.told.at(-1)?.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
  })

  it('change nothing while the issuer does not answer', async () => {
    const token = rsToken(key, claims('kept'))
    const socket = await subscribed(token)
    issuer.answer = { status: 503, body: '' }
    await network.app.refetchTokenKeys()
    expect([await statusOf(token), await statusOf(tokenOf(2))]).toEqual([200, 200])
    expect(network.log()).toContain('TOKEN_KEYS_UNAVAILABLE')
    socket.send({ type: 'ping' })
    await expect.poll(() => socket.waiting.some(({ type }) => type === 'pong')).toBe(true)
    socket.close()
  })
})

function isEvent({ type, payload }: Message): boolean {
  return type === 'next' && JSON.stringify(payload).includes('"EVENT"')
}
