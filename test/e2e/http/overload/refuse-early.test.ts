import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ANONYMOUS } from '../../../../src/access/caller.ts'
import { EVENTS_PATH, GRAPHQL_PATH } from '../../../../src/http/graphql/graphql-body.ts'
import { createGraphqlEntrance } from '../../../../src/http/graphql/graphql-entrance.ts'
import type { Overload } from '../../../../src/http/overload/overload.ts'
import { createAddressReader, createPeerReader } from '../../../../src/http/server/client-caller.ts'
import { problem } from '../../../../src/http/server/direct-answers.ts'
import { protect } from '../../../../src/http/server/protection.ts'
import { createHttpServer, type HttpServer } from '../../../../src/http/server/server.ts'
import { createLogger } from '../../../../src/observability/logger.ts'
import { SHARE_NOTHING } from '../../../../src/redis/shared-counts.ts'
import { rawExchange } from '../../../faults/raw-http.ts'
import { send, type Reply, type Sending } from '../../../support/webhooks.ts'

const SHOP = 'https://shop.example.test'
/** Maximum number of waiting requests before the delay is known. */
const MAX_WAITING = 4_096
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

beforeEach(async () => {
  draining = false
  refused = 0
  begun = []
  const limits = { trustProxy: ['127.0.0.1'], connectionsPerAddress: 0, failedAuthentications: 20, graphqlInFlight: 1 }
  const addressOf = createAddressReader(limits.trustProxy)
  const onTurnedAway = () => void (refused += 1)
  const logger = createLogger({ level: 'silent', destination: process.stdout })
  server = await createHttpServer({
    settings: { publicUrl: 'https://pay.example.test', allowedOrigins: [SHOP], limits },
    isRouter: () => false,
    isDraining: () => draining,
    onTurnedAway,
    addressOf,
    logger,
  })
  const { http, direct } = server
  const protection = protect(server, {
    limits,
    callerOf: () => ANONYMOUS,
    shareCounts: SHARE_NOTHING,
    isRouter: () => false,
    onTurnedAway,
    addressOf,
    peerOf: createPeerReader(limits.trustProxy),
    readOperation: () => ({ kind: 'query', commands: [] }),
    isRecorded: async () => false,
  })
  overload = protection.overload
  const entrance = createGraphqlEntrance({ direct, protection, trace: () => (answer) => answer(), logger })
  for (const path of [GRAPHQL_PATH, EVENTS_PATH] as const)
    entrance.add(path, {
      accepts: () => true,
      maxBytes: () => 1_000,
      turnAway: () => null,
      answerAgain(exchange) {
        if (exchange.request.url?.includes('fault') === true) throw new Error('A fault.')
        if (exchange.body !== KNOWN_BODY) return false
        entrance.send(exchange, ANSWER)
        return true
      },
      answer(exchange) {
        begun.push(exchange.request.url ?? '')
        entrance.send(exchange, ANSWER)
      },
    })
  direct.handle('/webhooks', (request, response) => {
    direct.send(request, response, ANSWER)
    return true
  })
  http.get('/health/ready', async () => ({ answered: true }))
  url = await http.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(() => server.http.close())

/** Fills the queue, with one request of each client unless `nameOf` differs. Returns the names of the refused clients. */
function fill(nameOf: (index: number) => string = (index) => `client ${index}`): string[] {
  const out: string[] = []
  // The first request begins, and does not end.
  for (let index = 0; index <= MAX_WAITING; index += 1)
    overload.enter('queries', {
      client: { name: nameOf(index), group: 'anonymous' },
      bytes: 0,
      start: () => {},
      refuse: () => void out.push(nameOf(index)),
    })
  expect(overload.isFull('queries')).toBe(true)
  return out
}

const ask = (path: string = GRAPHQL_PATH, { headers, ...rest }: Sending = {}) =>
  send(`${url}${path}`, {
    body: BODY,
    headers: { ...JSON_TYPE, 'x-forwarded-for': '203.0.113.9', ...headers },
    ...rest,
  })

/** Returns a reply without the parts that depend on the time. */
function comparable({ status, body, headers }: Reply): unknown {
  const { date, 'retry-after': again, ...others } = headers
  expect(date).toBeDefined()
  expect(['1', '2', '3']).toContain(again)
  const wait = `"retryAfterMs":${Number(again)}000`
  expect(body).toContain(wait)
  return { status, body: body.replace(wait, ''), headers: others }
}

// promise(http): In an overload, requests without a token are refused before their body is read.
describe('a full queue', () => {
  it.each([
    ['POST', GRAPHQL_PATH],
    ['GET', `${GRAPHQL_PATH}?query=%7B__typename%7D`],
    ['POST', EVENTS_PATH],
    ['GET', `${EVENTS_PATH}?query=%7B__typename%7D`],
  ])('refuses %s %s without a token before its body is read', async (method, path) => {
    fill()
    const reply = await ask(path, method === 'GET' ? { method, body: '' } : {})
    const seconds = Number(reply.headers['retry-after'])
    expect(reply).toMatchObject({ status: 503, body: JSON.stringify(problem(503, seconds)) })
    expect({ begun, refused }).toEqual({ begun: [], refused: 1 })
  })

  it('fails one request if the search for a recent answer fails', async () => {
    const path = `${GRAPHQL_PATH}?fault`
    const replies = await Promise.all([ask(path, { method: 'GET', body: '' }), ask(path)])
    expect(replies.map(({ status }) => status)).toEqual([500, 500])
    expect((await ask()).status).toBe(200)
  })

  it('refuses no request whose body was read and to which there is a recent answer', async () => {
    fill()
    const headers = { authorization: 'Bearer x' }
    const [known, other] = await Promise.all([
      ask(GRAPHQL_PATH, { body: KNOWN_BODY, headers }),
      ask(GRAPHQL_PATH, { headers }),
    ])
    expect([known.status, other.status, begun, refused]).toEqual([200, 503, [], 1])
  })

  it.each([{}, { origin: SHOP }, { origin: 'https://other.example.test' }])(
    'is answered with the same bytes before and after its body is read, with %j',
    async (headers) => {
      fill()
      const [early, late] = await Promise.all([
        ask(GRAPHQL_PATH, { headers }),
        ask(GRAPHQL_PATH, { headers: { ...headers, authorization: 'Bearer x' } }),
      ])
      expect({ begun, refused }).toEqual({ begun: [], refused: 2 })
      expect(comparable(early)).toEqual(comparable(late))
    },
  )

  it.each([{}, { origin: SHOP }, { origin: 'https://other.example.test' }])(
    'is answered with the headers that the framework sets on every answer, with %j',
    async (headers) => {
      fill()
      const [early, ordinary] = await Promise.all([ask(GRAPHQL_PATH, { headers }), ask('/nowhere', { headers })])
      const { 'retry-after': _again, 'content-length': ofEarly, date: _early, ...ofRefusal } = early.headers
      const { 'content-length': _length, date: _ordinary, ...expected } = ordinary.headers
      expect(ofRefusal).toEqual(expected)
      expect(ofEarly).toBe(String(early.body.length))
      expect(early.headers['access-control-allow-origin']).toBe(headers.origin === SHOP ? SHOP : undefined)
    },
  )

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

  it('refuses the client that has most instead of one that has few', async () => {
    const out = fill((index) => (index % 4 === 0 ? 'most' : `client ${index}`))
    const reply = ask()
    await expect.poll(() => out.length).toBeGreaterThan(0)
    expect(new Set(out)).toEqual(new Set(['most']))
    expect(begun).toEqual([])
    server.http.server.closeAllConnections()
    await expect(reply).rejects.toThrow('socket hang up')
  })

  it('closes the connection behind the refusal while the process drains', async () => {
    fill()
    draining = true
    const { status, headers } = await ask(GRAPHQL_PATH, { headers: { connection: 'keep-alive' } })
    expect(status).toBe(503)
    expect(headers.connection).toBe('close')
  })

  it.each([
    { name: 'one request after the other on one connection', isDraining: false, count: 2 },
    { name: 'nothing behind the last answer of a connection', isDraining: true, count: 1 },
  ])('refuses $name', async ({ isDraining, count }) => {
    fill()
    draining = isDraining
    const head = [`POST ${GRAPHQL_PATH} HTTP/1.1`, 'Host: x', 'X-Forwarded-For: 203.0.113.9']
    const rest = [`Content-Length: ${BODY.length}`, '', BODY]
    const requests = [...head, ...rest].join('\r\n') + [...head, 'Connection: close', ...rest].join('\r\n')
    const { statuses } = await rawExchange(url, requests)
    expect(statuses).toEqual(Array.from({ length: count }, () => 503))
    expect({ refused, begun }).toEqual({ refused: count, begun: [] })
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

it('answers what it can while the queue is not full', async () => {
  const reply = await ask()
  expect(reply).toMatchObject({ status: 200, body: '{"answered":true}' })
})
