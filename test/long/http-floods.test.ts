import { networkInterfaces } from 'node:os'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rawExchange } from '../faults/raw-http.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { openSocket } from '../support/socket.ts'
import {
  addressOf,
  defaultAddress,
  deliver,
  deliveries,
  honestHeaders,
  paymentBody,
  send,
} from '../support/webhooks.ts'

const LIMIT = 5
const QUERY = JSON.stringify({ query: '{ paymentCurrencies { code } }' })
const ROUTER_SECRET = 'router-secret-of-the-tests'
const FORGED = '0'.repeat(64)
const json = { 'content-type': 'application/json' }

let network: Network
const start = async (env: Record<string, string>) => {
  network = await startNetwork({ env: { MAX_FAILED_AUTHENTICATIONS: String(LIMIT), ...env } })
  return network
}

const graphql = () => `${network.app.url}/graphql`

/** Returns the status of a GraphQL request with this token, or without one. */
const ask = async (token: string | null, headers: Record<string, string> = {}) =>
  (
    await send(graphql(), {
      headers: { ...json, ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
      body: QUERY,
    })
  ).status

/** Sends more wrong credentials than one address may, and returns the statuses of the answers. */
const failOften = async (headers: Record<string, string> = {}) => {
  const statuses: number[] = []
  for (let turn = 0; turn <= LIMIT; turn += 1) statuses.push(await ask('no.real.token', headers))
  return statuses
}

// promise(http): After repeated wrong credentials from an address (`MAX_FAILED_AUTHENTICATIONS`), its invalid requests
// are refused unread; valid ones are answered.
describe('an address that shows wrong credentials too often', () => {
  beforeEach(async () => void (await start({ ROUTER_SECRETS: ROUTER_SECRET })))
  afterEach(() => network.close())

  it('is told so, and has none of its good requests refused', async () => {
    const link = await addressOf(network, await createLink(network))
    expect(await failOften()).toEqual(Array.from({ length: LIMIT + 1 }, () => 401))
    const refused = await send(graphql(), { headers: { ...json, authorization: 'Bearer no.real.token' }, body: QUERY })
    expect(refused).toMatchObject({ status: 429, headers: { connection: 'close' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(JSON.parse(refused.body)).toMatchObject({ errors: [{ extensions: { code: 'TOO_MANY_REQUESTS' } }] })

    expect(await ask(null)).toBe(200)
    expect(await ask(await network.token())).toBe(200)
    expect((await deliver(link, paymentBody())).status).toBe(200)
    expect((await deliver(defaultAddress(network), paymentBody())).status).toBe(200)
    expect(await deliveries(network)).toHaveLength(2)
  })

  it('has the expired tokens of others answered with 401, which helps nobody to guess', async () => {
    const expired = await network.token({ ttlSeconds: -60 })
    const [head, claims] = expired.split('.')
    for (let turn = 0; turn <= 2 * LIMIT; turn += 1) expect(await ask(expired)).toBe(401)
    // None of these counted: it takes as many guesses as before.
    expect(await failOften()).toEqual(Array.from({ length: LIMIT + 1 }, () => 401))
    const guesses = [
      'no.real.token',
      `${head}.${claims}.${'A'.repeat(43)}`,
      `${expired}, Bearer ${await network.token()}`,
    ]
    for (const guess of guesses) {
      expect([guess, await ask(guess)]).toEqual([guess, 429])
      const refused = await send(graphql(), { headers: { ...json, authorization: `Bearer ${expired}` }, body: QUERY })
      expect(refused.status).toBe(401)
      expect(refused.headers['retry-after']).toBeUndefined()
      expect(JSON.parse(refused.body)).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
    }
  })

  it('is told so over sockets as well, where each one counts with those over HTTP', async () => {
    const greet = async (payload: object, headers: Record<string, string> = {}) => {
      const socket = await openSocket(network.app.url, { headers })
      socket.send({ type: 'connection_init', payload })
      return Promise.race([socket.next(), socket.closed])
    }
    const guess = { token: 'no.real.token' }
    for (let turn = 0; turn < LIMIT; turn += 1) expect(await greet(guess)).toMatchObject({ code: 4403 })
    expect(await ask('no.real.token')).toBe(401)
    expect(await greet(guess)).toMatchObject({ code: 4429 })
    expect(await ask('no.real.token')).toBe(429)
    expect(await greet({}, { authorization: 'Bearer no.real.token' })).toMatchObject({ code: 4429 })
    expect(await greet(guess, { 'x-router-secret': ROUTER_SECRET })).toMatchObject({ code: 4401 })
    expect(await greet({ token: await network.token({ ttlSeconds: -60 }) })).toMatchObject({ code: 4403 })
    expect(await greet({ token: await network.token() })).toEqual({ type: 'connection_ack' })
  })

  it('is refused what its headers give away, and has the rest looked at', async () => {
    await failOften()
    const link = await addressOf(network, await createLink(network))
    const body = paymentBody()
    const attempt = async (url: string, headers: Record<string, string | undefined>) => {
      const given = Object.entries({ ...honestHeaders(body, link.authorization), ...headers })
      const sent = Object.fromEntries(given.filter(([, value]) => value !== undefined))
      return send(url, { headers: sent, body })
    }
    const stranger = { ...link, url: link.url.replace(link.ref, 'somebody') }
    expect(await attempt(link.url, { authorization: undefined })).toMatchObject({ status: 429, body: 'refused' })
    expect(await attempt(link.url, { authorization: 'Bearer v1.00000000.AAAA' })).toMatchObject({ status: 429 })
    expect(await attempt(link.url, { 'http-webhook-signature': 'none' })).toMatchObject({ status: 429 })
    expect(await attempt(stranger.url, {})).toMatchObject({ status: 429 })
    expect(await attempt(defaultAddress(network), { 'http-webhook-signature': undefined })).toMatchObject({
      status: 429,
    })
    expect(await attempt(link.url, { 'http-webhook-signature': FORGED })).toMatchObject({ status: 401 })
    expect(await attempt(defaultAddress(network), { 'http-webhook-signature': FORGED })).toMatchObject({ status: 401 })
    expect(await attempt(link.url, {})).toMatchObject({ status: 200 })
  })

  it.each(['/graphql', '/webhooks/payments'])('is refused at %s before its body is there', async (path) => {
    await failOften()
    const { statuses } = await rawExchange(
      network.app.url,
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
        'Authorization: Bearer no.real.token\r\nContent-Length: 1000\r\n\r\n',
    )
    expect(statuses).toEqual([429])
  })

  it('may have failed as a webhook, too; the router is none of them', async () => {
    for (let turn = 0; turn <= LIMIT; turn += 1) {
      const sent = await send(defaultAddress(network), { headers: honestHeaders('', undefined, FORGED), body: '{}' })
      expect(sent.status).toBe(401)
      expect(await ask('no.real.token', { 'x-router-secret': ROUTER_SECRET })).toBe(401)
    }
    expect(await ask('no.real.token', { 'x-router-secret': ROUTER_SECRET })).toBe(401)
    expect(await ask('no.real.token', { 'x-router-secret': `${ROUTER_SECRET}.` })).toBe(429)
    const figures = await (await fetch(`${network.app.url}/metrics`)).text()
    expect(figures).toMatch(/^payments_turned_away_total\{reason="failed_authentication"\} 1$/m)
  })
})

/** An external IPv4 address of this machine; undefined without a network. */
const OUTSIDE = Object.values(networkInterfaces())
  .flat()
  .find((own) => own?.family === 'IPv4' && !own.internal)?.address

describe('connections of one address', () => {
  afterEach(() => network.close())
  const ping = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n'
  const limited = { MAX_CONNECTIONS_PER_ADDRESS: '3', HOST: '0.0.0.0', ROUTER_SECRETS: ROUTER_SECRET }
  const at = (host: string) => `http://${host}:${new URL(network.app.url).port}`

  /** Opens a connection that stays open after the answer to one request. */
  const hold = async (url: string, headers = '') => {
    const { promise: leaving, resolve: leave } = Promise.withResolvers<void>()
    const { promise: answered, resolve: onAnswer } = Promise.withResolvers<void>()
    const exchange = rawExchange(
      url,
      (socket) => {
        socket.write(`${ping}${headers}\r\n`)
        socket.once('data', () => onAnswer())
        void leaving.then(() => socket.end())
      },
      300_000,
    )
    await Promise.race([answered, exchange])
    return { leave, exchange }
  }
  const holdSeveral = (count: number, url: string, headers?: string) =>
    Promise.all(Array.from({ length: count }, () => hold(url, headers)))
  const statusesAt = async (url: string) => (await rawExchange(url, `${ping}Connection: close\r\n\r\n`)).statuses

  it.skipIf(OUTSIDE === undefined)('are limited, and closing one makes room', async () => {
    await start(limited)
    const url = at(OUTSIDE ?? '')
    const held = await holdSeveral(3, url)
    expect(await statusesAt(url)).toEqual([])
    expect(network.log().match(/TRUST_PROXY/g)).toHaveLength(1)
    expect(await statusesAt(url)).toEqual([])
    expect(network.log().match(/TRUST_PROXY/g)).toHaveLength(1)
    held[0]?.leave()
    await held[0]?.exchange
    await expect.poll(() => statusesAt(url)).toEqual([200])
    for (const { leave } of held) leave()
    await Promise.all(held.map(({ exchange }) => exchange))
  })
})
