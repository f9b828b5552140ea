import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { addressOf, defaultAddress, deliver, deliveries, paymentBody } from '../support/webhooks.ts'
import { rawExchange } from './raw-http.ts'
import { LAST, rawWebhook } from './raw-webhook.ts'

const BODY_MS = 10_000

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

const CHUNKED = ['Transfer-Encoding: chunked']
const uuid = randomUUID()
const body = paymentBody({ uuid })
const whole = rawWebhook({ body })
const head = whole.slice(0, whole.indexOf('\r\n\r\n') + 4)

/** Writes `first` at once, and then a piece every 250 ms until the connection closes. */
function drip(socket: Socket, first: string, pieces: () => string): void {
  socket.write(first)
  const timer = setInterval(() => socket.write(pieces()), 250)
  socket.on('close', () => clearInterval(timer))
}

/** Returns the characters of a text one by one, and then empty strings. */
function letters(text: string): () => string {
  let next = 0
  return () => text[next++] ?? ''
}

/** Ways to send a webhook too slowly, each with the status of its answer. */
const WASTERS: Readonly<Record<string, [status: number, speak: (socket: Socket) => void]>> = {
  'says nothing after its headers': [408, (socket) => void socket.write(head)],
  'sends a letter at a time': [408, (socket) => drip(socket, head, letters(body))],
  'sends all but the last letter': [408, (socket) => void socket.write(whole.slice(0, -1))],
  'sends chunks without an end': [
    408,
    (socket) => drip(socket, rawWebhook({ body, headers: CHUNKED, wire: '' }), () => '1\r\n \r\n'),
  ],
  'sends a chunk without an end': [
    408,
    (socket) => drip(socket, rawWebhook({ body, headers: CHUNKED, wire: 'fff\r\n' }), () => ' '),
  ],
  'sends the length of a chunk without an end': [
    408,
    (socket) => drip(socket, rawWebhook({ body, headers: CHUNKED, wire: '' }), letters('0'.repeat(1_000))),
  ],
  'sends a trailer without an end': [
    408,
    (socket) => drip(socket, rawWebhook({ body, headers: CHUNKED, wire: '0\r\nX-Note: ' }), () => 'x'),
  ],
  'asks whether it may go on, and does not': [
    408,
    (socket) =>
      void socket.write(rawWebhook({ body, headers: ['Expect: 100-continue', 'Content-Length: 9'], wire: '' })),
  ],
  'sends headers without an end': [408, (socket) => drip(socket, head.slice(0, -2), () => 'X-Note: x\r\n')],
  'sends a header a letter at a time': [408, (socket) => drip(socket, head.slice(0, -2), letters('x'.repeat(1_000)))],
}

it('whoever wastes its time is sent away, and others are served meanwhile', async () => {
  const link = await addressOf(network, await createLink(network))
  const wasted = Promise.all(
    Object.entries(WASTERS).map(async ([what, [, speak]]) => {
      const { statuses, lasted } = await rawExchange(network.app.url, speak, 60_000)
      return { what, statuses: statuses.filter((status) => status !== 100), lasted }
    }),
  )
  let served = 0
  let waiting = true
  void wasted.finally(() => (waiting = false))
  while (waiting) {
    const reply = await deliver(served % 2 === 0 ? link : defaultAddress(network), paymentBody())
    expect(reply.status).toBe(200)
    served += 1
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const ends = await wasted
  expect(ends.map(({ lasted: _lasted, ...end }) => end)).toEqual(
    Object.entries(WASTERS).map(([what, [status]]) => ({ what, statuses: [status] })),
  )
  const byTheDoor = ends.filter(({ what }) => !what.includes('header'))
  for (const { lasted } of byTheDoor) expect(lasted).toBeGreaterThan(BODY_MS - 100)
  expect(served).toBeGreaterThan(10)
  expect(await deliveries(network, [uuid])).toEqual([])
})

it('endless chunks end with the first byte too many', async () => {
  const chunk = `${(8 * 1024).toString(16)}\r\n${' '.repeat(8 * 1024)}\r\n`
  const { statuses } = await rawExchange(network.app.url, (socket) => {
    const more = () => {
      if (socket.writable) socket.write(chunk, () => setImmediate(more))
    }
    socket.write(rawWebhook({ body, headers: CHUNKED, wire: '' }), more)
  })
  expect(statuses).toEqual([413])
  const { statuses: next } = await rawExchange(network.app.url, rawWebhook({ body: paymentBody() }) + LAST)
  expect(next).toEqual([200, 200])
})
