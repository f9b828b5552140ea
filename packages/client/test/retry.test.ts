import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { ask, PaymentsClientError, type AskOptions, type Retry } from '../src/index.ts'

const OVERLOADED = JSON.stringify({ errors: [{ message: 'Too much.', extensions: { code: 'OVERLOADED' } }] })
const refused = (response: ServerResponse, headers = {}, body = OVERLOADED) =>
  void response.writeHead(503, headers).end(body)
const answered = (response: ServerResponse) => void response.writeHead(200).end('{"data":{"made":true}}')

let close = () => {}
afterEach(() => close())

/** Starts a server that sends these answers in order. Returns a client of it, with its retries and the number of requests. */
async function setUp(...answers: readonly ((response: ServerResponse) => void)[]) {
  let count = 0
  const server = createServer((_request, response) => {
    const [answer = answered] = answers.slice(count)
    count += 1
    answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
  const retries: Retry[] = []
  return {
    retries,
    count: () => count,
    ask: (options: AskOptions = {}) =>
      ask('mutation { made }', {}, { url }, { onRetry: (retry) => retries.push(retry), ...options }),
  }
}

it('sends again what was refused, and says so', async () => {
  const server = await setUp(
    (response) => refused(response, { 'retry-after': '0' }),
    (response) => refused(response, { 'retry-after': '1' }),
  )
  expect(await server.ask()).toEqual({ made: true })
  expect(server.retries.map(({ attempt, error }) => [attempt, error.code])).toEqual([
    [1, 'OVERLOADED'],
    [2, 'OVERLOADED'],
  ])
  expect(server.retries[0]?.waitMs).toBe(0)
  expect(server.retries[1]?.waitMs).toBeGreaterThanOrEqual(1_000)
  expect(server.retries[1]?.waitMs).toBeLessThanOrEqual(1_500)
})

it('waits as long as the error says where a gateway has dropped the header', async () => {
  const body = JSON.stringify({
    errors: [{ message: 'Too much.', extensions: { code: 'OVERLOADED', retryAfterMs: 20 } }],
  })
  const server = await setUp((response) => refused(response, {}, body))
  expect(await server.ask()).toEqual({ made: true })
  expect(server.retries[0]?.waitMs).toBeGreaterThanOrEqual(20)
  expect(server.retries[0]?.waitMs).toBeLessThanOrEqual(30)
})

it('does the same for a proxy that says when to come again', async () => {
  const server = await setUp((response) => refused(response, { 'retry-after': '0' }, 'busy'))
  expect(await server.ask()).toEqual({ made: true })
})

it('gives up after three times, or as often as it is told', async () => {
  const soon = (response: ServerResponse) => refused(response, { 'retry-after': '0' })
  const server = await setUp(...Array.from({ length: 10 }, () => soon))
  await expect(server.ask()).rejects.toMatchObject({ code: 'OVERLOADED', retryable: true })
  expect(server.count()).toBe(4)
  await expect(server.ask({ retries: 0 })).rejects.toThrow(PaymentsClientError)
  expect(server.count()).toBe(5)
})

it.each([
  ['would have to wait for long', (response: ServerResponse) => refused(response, { 'retry-after': '60' })],
  ['is not told that nothing was done', (response: ServerResponse) => refused(response, {}, '')],
  ['was broken off', (response: ServerResponse) => void response.destroy()],
])('sends nothing again that %s', async (_what, answer) => {
  const server = await setUp(answer)
  await expect(server.ask()).rejects.toThrow(PaymentsClientError)
  expect([server.count(), server.retries]).toEqual([1, []])
})

it.each([
  ['HTML', '<!doctype html>', 'text/html'],
  ['9 MB', `{"data":{"made":"${'a'.repeat(9_000_000)}"}}`, 'application/json'],
  ['another JSON', 'null', 'application/json'],
])('says that an answer is not of the graph: %s', async (_what, body, type) => {
  const server = await setUp((response) => void response.writeHead(200, { 'content-type': type }).end(body))
  await expect(server.ask()).rejects.toMatchObject({ code: 'BAD_RESPONSE', retryable: false })
  expect([server.count(), server.retries]).toEqual([1, []])
})

it.each(['1000000000', '-5', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
  'waits for a bounded time where a server says %s',
  async (wait) => {
    const server = await setUp(
      ...Array.from({ length: 9 }, () => (response: ServerResponse) => refused(response, { 'retry-after': wait })),
    )
    await expect(server.ask({ onRetry: ({ waitMs }) => expect(waitMs).toBeLessThan(15_000) })).rejects.toMatchObject({
      code: 'OVERLOADED',
    })
    expect(server.count()).toBeLessThanOrEqual(4)
  },
)

it('waits no longer than its signal', async () => {
  const server = await setUp((response) => refused(response, { 'retry-after': '9' }))
  const control = new AbortController()
  const asked = server.ask({ signal: control.signal, onRetry: () => queueMicrotask(() => control.abort()) })
  await expect(asked).rejects.toThrow(/abort/i)
  expect(server.count()).toBe(1)
})
