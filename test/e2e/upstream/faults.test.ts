import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { parseExactJson } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { UpstreamRequest } from '../../../src/upstream/client/exchange.ts'
import { type BadAnswer, MEGABYTE, OPEN_OUTCOMES, REFUSALS, silence } from './bad-answers.ts'
import { faultOf, open, serve, SHORT, site } from './open.ts'
import { answer, refusingPort, type Script } from './scripted-service.ts'

const post: UpstreamRequest = { method: 'POST', path: '/v3/payin_links', body: {} }
const get: UpstreamRequest = { method: 'GET', path: '/v3/payin_methods' }
const REQUESTS = { GET: get, POST: post }
const METHODS = ['GET', 'POST'] as const
const byMethod = (rows: readonly BadAnswer[]) =>
  rows.flatMap(([name, script, known]) => METHODS.map((method) => [name, method, script, known] as const))
/** A POST that may have arrived is never sent again. */
const MOST_SENT = { GET: 3, POST: 1 }

/** Deadlines that pass only for a server that does not answer, also on a busy machine. */
const PATIENT = { ...SHORT, connect: 5_000, headers: 5_000, get: 5_000, post: 5_000 }
/** Deadlines that are to pass: before the status, or behind it. */
const PASSING = { before: SHORT, behind: { ...PATIENT, get: 2_000, post: 2_000 } }

/** Returns the outcome of a request to a server with this script. */
async function outcomeOf(script: Script, request: UpstreamRequest, deadlines = PATIENT) {
  const service = await serve(script)
  const transport = open(service.baseUrl, { deadlines })
  const fault = await faultOf(transport.request(site(), request))
  return { detail: fault.detail, message: fault.message, requests: service.requests.length }
}

// promise(upstream): Whatever the payments API answers, or does not, a request ends in time.
// promise(upstream): Floods, decompression bombs and endless bodies are cut off at 1 MB.
describe('an answer that leaves the outcome of a POST open', () => {
  it.each(byMethod(OPEN_OUTCOMES))('%s to a %s', async (_name, method, script, known) => {
    const { reason, httpStatus = null } = known as { reason?: string; httpStatus?: number | null }
    const deadlines = reason === 'timeout' ? PASSING[httpStatus === null ? 'before' : 'behind'] : undefined
    const { detail, requests } = await outcomeOf(script, REQUESTS[method], deadlines)
    expect(detail).toMatchObject({ kind: 'unknown', ...known })
    expect(requests).toBeLessThanOrEqual(MOST_SENT[method])
  })

  it('headers that take longer than they may end the wait before the deadline', async () => {
    const service = await serve(silence)
    const transport = open(service.baseUrl, { deadlines: { headers: 100 } })
    expect((await faultOf(transport.request(site(), post))).detail).toMatchObject({
      kind: 'unknown',
      reason: 'timeout',
    })
  })

  it.each([301, 302, 303, 307, 308])('%i: the other address is never asked', async (status) => {
    const other = await serve(answer(200, '{}'))
    const service = await serve(answer(status, '', { location: `${other.baseUrl}/v3/payin_links` }))
    for (const request of [post, get])
      expect((await faultOf(open(service.baseUrl).request(site(), request))).detail).toMatchObject({
        kind: 'unknown',
        reason: 'redirect',
        httpStatus: status,
      })
    expect(other.connections()).toBe(0)
  })
})

describe('an answer that says no', () => {
  it.each(byMethod(REFUSALS))('%s to a %s is certain', async (_name, method, script, known) => {
    const { detail, message, requests } = await outcomeOf(script, REQUESTS[method])
    expect(detail).toMatchObject(known)
    expect(message).not.toMatch(/html|blank|bank|gone|Authorised/)
    expect(requests).toBe(1)
  })
})

describe('a service that cannot be reached', () => {
  it('refuses the connection', async () => {
    const transport = open(`http://127.0.0.1:${await refusingPort()}/api`)
    expect((await faultOf(transport.request(site(), post))).detail).toEqual({ kind: 'not-sent', reason: 'refused' })
  })

  it('has no address', async () => {
    const transport = open('https://payments.invalid/api')
    expect((await faultOf(transport.request(site(), post))).detail).toEqual({ kind: 'not-sent', reason: 'dns' })
  })

  it('does not end its side of the TLS handshake', async () => {
    const service = await serve(silence)
    const transport = open(service.baseUrl.replace('http:', 'https:'), { deadlines: SHORT })
    expect((await faultOf(transport.request(site(), post))).detail).toEqual({
      kind: 'not-sent',
      reason: 'connect-timeout',
    })
  })

  it('does not speak TLS', async () => {
    const server = createServer((socket) =>
      socket.on('error', () => socket.destroy()).end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const transport = open(`https://127.0.0.1:${(server.address() as AddressInfo).port}/api`)
    expect((await faultOf(transport.request(site(), post))).detail).toEqual({ kind: 'not-sent', reason: 'tls' })
  })
})

it('takes an answer of just under 1 MB', async () => {
  const text = JSON.stringify({ a: 'x'.repeat(MEGABYTE - 10) })
  const service = await serve(answer(200, text))
  const { json } = await open(service.baseUrl).request(site(), post)
  expect(json).toEqual(parseExactJson(text))
})
