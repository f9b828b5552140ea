import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ANONYMOUS } from '../../../src/access/caller.ts'
import { createClientAddresses } from '../../../src/http/connections/client-address.ts'
import { createGraphqlEntrance } from '../../../src/http/graphql/graphql-entrance.ts'
import { MAX_WAITING } from '../../../src/http/protection/client-queue.ts'
import type { Overload } from '../../../src/http/protection/overload.ts'
import { protect } from '../../../src/http/protection/protection.ts'
import type { RouterCheck } from '../../../src/http/server/client-caller.ts'
import { EVENTS_PATH, GRAPHQL_PATH } from '../../../src/http/server/graphql-exchange.ts'
import type { Turn } from '../../../src/http/server/graphql-exchange.ts'
import { problem } from '../../../src/http/server/problem.ts'
import { createHttpServer, type HttpServer } from '../../../src/http/server/server.ts'
import { createLogger } from '../../../src/observability/logger.ts'
import { SHARE_NOTHING } from '../../../src/redis/shared-counts.ts'
import { send, type Reply, type Sending } from '../../support/webhooks.ts'

const SHOP = 'https://shop.example.test'
const BODY = JSON.stringify({ query: '{ __typename }' })
/** A request to which there is a recent answer. */
const KNOWN_BODY = JSON.stringify({ query: '{ __typename } # again' })
const JSON_TYPE = { 'content-type': 'application/json' }

const ANSWER = { status: 200, body: '{"answered":true}' }

let server: HttpServer
let overload: Overload
let url: string
let draining: boolean
let refused: number
/** Requests that have begun. */
let begun: string[]

beforeEach(() => start(1))
afterEach(() => server.close(0))

const isRouter: RouterCheck = ({ headers }) => headers['x-router-secret'] === 'secret'

/** Starts a server with so many places. It ends a request whose URL names `hold` only with the connection. */
async function start(graphqlInFlight: number): Promise<void> {
  draining = false
  refused = 0
  begun = []
  const limits = { trustProxy: ['127.0.0.1'], connectionsPerAddress: 0, failedAuthentications: 20, graphqlInFlight }
  const addresses = createClientAddresses(limits.trustProxy)
  const onTurnedAway = () => void (refused += 1)
  const logger = createLogger({ level: 'silent', destination: process.stdout })
  server = createHttpServer({
    settings: { publicUrl: 'https://pay.example.test', allowedOrigins: [SHOP], limits },
    isRouter,
    isDraining: () => draining,
    onTurnedAway,
    addressOf: addresses.addressOf,
    logger,
  })
  const protection = protect(server, {
    limits,
    callerOf: () => ANONYMOUS,
    shareCounts: SHARE_NOTHING,
    isRouter,
    onTurnedAway,
    ...addresses,
  })
  overload = protection.overload
  const entrance = createGraphqlEntrance({ http: server, protection, trace: () => (answer) => answer() })
  for (const path of [GRAPHQL_PATH, EVENTS_PATH] as const)
    entrance.add(path, {
      maxBytes: () => 1_000,
      turnAway: () => null,
      answerAgain(exchange) {
        if (exchange.request.url?.includes('fault') === true) throw new Error('A fault.')
        if (exchange.body !== KNOWN_BODY) return false
        entrance.send(exchange, ANSWER)
        return true
      },
      answer(exchange) {
        const asked = exchange.request.url ?? ''
        begun.push(asked)
        if (!asked.includes('hold')) entrance.send(exchange, ANSWER)
      },
    })
  server.route(['POST'], '/webhooks/*', (request, response) => server.send(request, response, ANSWER))
  server.route(['GET'], '/health/ready', (request, response) => server.send(request, response, ANSWER))
  url = await server.listen({ host: '127.0.0.1', port: 0 })
}

/** Begins a request when there is a place. */
function occupy(index = 0, isWanted = () => true): Promise<Turn> {
  return new Promise((resolve) =>
    overload.enter({
      client: { name: `client ${index}`, hasToken: false },
      bytes: 0,
      isPatient: true,
      isWanted,
      start: resolve,
      refuse: () => expect.unreachable(),
    }),
  )
}

/** Fills the queue with requests of different clients, behind one that has begun. */
function fill(): void {
  for (let index = 0; index <= MAX_WAITING; index += 1) void occupy(index)
}

const ask = (path: string = GRAPHQL_PATH, { headers, ...rest }: Sending = {}) =>
  send(`${url}${path}`, {
    body: BODY,
    headers: { ...JSON_TYPE, 'x-forwarded-for': '203.0.113.9', ...headers },
    ...rest,
  })

describe('a full queue', () => {
  it('refuses requests of every method and path', async () => {
    fill()
    const search = '?query=%7B__typename%7D'
    const get = { method: 'GET', body: '' }
    const replies = await Promise.all([
      ask(GRAPHQL_PATH),
      ask(EVENTS_PATH),
      ask(GRAPHQL_PATH + search, get),
      ask(EVENTS_PATH + search, get),
    ])
    for (const { status, body, headers } of replies)
      expect([status, body]).toEqual([503, JSON.stringify(problem(503, Number(headers['retry-after'])))])
    expect({ begun, refused }).toEqual({ begun: [], refused: 4 })
  })

  it('fails one request if the search for a recent answer fails', async () => {
    const path = `${GRAPHQL_PATH}?fault`
    const replies = await Promise.all([ask(path, { method: 'GET', body: '' }), ask(path)])
    expect(replies.map(({ status }) => status)).toEqual([500, 500])
    expect((await ask()).status).toBe(200)
  })

  it('refuses no request to which there is a recent answer', async () => {
    fill()
    const [known, other] = await Promise.all([ask(GRAPHQL_PATH, { body: KNOWN_BODY }), ask()])
    expect([known.status, other.status, begun, refused]).toEqual([200, 503, [], 1])
  })

  it('is answered with the headers that the framework sets on every answer', async () => {
    fill()
    const compare = async (headers: { readonly origin?: string }) => {
      const [refusal, ordinary] = await Promise.all([ask(GRAPHQL_PATH, { headers }), ask('/nowhere', { headers })])
      const { 'retry-after': _again, 'content-length': length, date: _date, ...ofRefusal } = refusal.headers
      const { 'content-length': _length, date: _ordinary, ...expected } = ordinary.headers
      expect(ofRefusal).toEqual(expected)
      expect(length).toBe(String(refusal.body.length))
      expect(refusal.headers['access-control-allow-origin']).toBe(headers.origin === SHOP ? SHOP : undefined)
    }
    await Promise.all([{}, { origin: SHOP }, { origin: 'https://other.example.test' }].map(compare))
  })

  it('lets webhooks, probes and other addresses through', async () => {
    fill()
    const replies = [await ask('/webhooks/payments'), await ask('/health/ready', { method: 'GET', body: '' })]
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    expect((await ask('/graphqlx')).status).toBe(404)
    expect((await ask(GRAPHQL_PATH, { method: 'OPTIONS', body: '', headers: { origin: SHOP } })).status).not.toBe(503)
    expect(refused).toBe(0)
  })

  it('leaves it to the fault of a request what it is answered', async () => {
    fill()
    expect((await ask(`${GRAPHQL_PATH}?${'a'.repeat(9_000)}`)).status).toBe(414)
    expect(refused).toBe(0)
  })

  it('closes the connection behind the refusal while the process drains', async () => {
    fill()
    draining = true
    const { status, headers } = await ask(GRAPHQL_PATH, { headers: { connection: 'keep-alive' } })
    expect(status).toBe(503)
    expect(headers.connection).toBe('close')
  })

  it('goes on when a client disconnects before it is told', async () => {
    fill()
    const abort = new AbortController()
    const asked = fetch(`${url}${GRAPHQL_PATH}`, {
      method: 'POST',
      body: BODY,
      headers: { ...JSON_TYPE, 'x-forwarded-for': '203.0.113.9' },
      signal: abort.signal,
    })
    await expect.poll(() => refused).toBe(1)
    abort.abort()
    await expect(asked).rejects.toThrow('aborted')
    expect((await ask()).status).toBe(503)
  })
})

it('lets commands wait for places of their own, while queries are answered', async () => {
  const command = await occupy()
  expect(await command.settle('mutation')).toBeNull()
  expect((await ask()).status).toBe(200)

  let isWanted = true
  const gone = (await occupy(1, () => isWanted)).settle('mutation')
  const next = (await occupy(2)).settle('mutation')
  expect((await ask()).status).toBe(200)
  isWanted = false
  command.end()
  expect(await gone).toMatchObject({ extensions: { code: 'OVERLOADED', http: { status: 503 } } })
  expect(await next).toBeNull()
})

describe('half of the places', () => {
  const HELD = `${GRAPHQL_PATH}?hold`
  beforeEach(async () => {
    await server.close(0)
    await start(2)
  })

  it('is left to others by an address without a token', async () => {
    const held = [ask(HELD), ask(HELD)]
    await expect.poll(() => begun).toEqual([HELD])
    expect((await ask(GRAPHQL_PATH, { headers: { 'x-forwarded-for': '198.51.100.1' } })).status).toBe(200)
    expect(begun).toEqual([HELD, GRAPHQL_PATH])
    await disconnect(held)
  })

  it('is left to others by a connection of a router, of which all have one address', async () => {
    const headers = { 'x-router-secret': 'secret' }
    const held = [ask(HELD, { headers }), ask(HELD, { headers })]
    await expect.poll(() => begun).toEqual([HELD, HELD])
    await disconnect(held)
  })

  async function disconnect(held: readonly Promise<Reply>[]): Promise<void> {
    server.server.closeAllConnections()
    await Promise.allSettled(held)
  }
})

it('begins the next when one has ended, and nothing for a client that has disconnected', async () => {
  const turn = await occupy()
  const abort = new AbortController()
  const received = once(server.server, 'request')
  const gone = fetch(`${url}${GRAPHQL_PATH}?gone`, { signal: abort.signal })
  const [{ socket }] = (await received) as [IncomingMessage]
  abort.abort()
  await expect(gone).rejects.toThrow('aborted')
  await expect.poll(() => socket.destroyed).toBe(true)
  const next = ask(`${GRAPHQL_PATH}?next`)
  turn.end()
  expect((await next).status).toBe(200)
  expect(begun).toEqual([`${GRAPHQL_PATH}?next`])
})
