import type { Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { rawExchange } from './raw-http.ts'

/** Headers have 10 seconds and a request 15; Node checks every 2 seconds, and timers can be late. */
const HEADERS_MS = 12_000 + 1_000
const REQUEST_MS = 17_000 + 1_000

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

const HEAD = 'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
const BODY = JSON.stringify({ query: '{ paymentCurrencies { code } }' })

function drip(first: string, piece: string): (socket: Socket) => void {
  return (socket) => {
    socket.write(first)
    const timer = setInterval(() => socket.write(piece), 250)
    socket.on('close', () => clearInterval(timer))
  }
}

/** Ways to waste a connection, each with the longest time until the server closes it. */
const WASTERS: Readonly<Record<string, [milliseconds: number, speak: (socket: Socket) => void]>> = {
  'says nothing at all': [HEADERS_MS, () => {}],
  'says nothing but line ends': [HEADERS_MS, drip('', '\r\n')],
  'sends its method a letter at a time': [HEADERS_MS, drip('POST ', ' ')],
  'sends its address a letter at a time': [HEADERS_MS, drip('GET /graphql?query=', 'a')],
  'sends headers without an end': [HEADERS_MS, drip(HEAD, 'X-Note: x\r\n')],
  'stops within its headers': [HEADERS_MS, (socket) => void socket.write(HEAD)],
  'sends its body a letter at a time': [REQUEST_MS, drip(`${HEAD}Content-Length: 1000\r\n\r\n`, ' ')],
  'stops within its body': [REQUEST_MS, (socket) => void socket.write(`${HEAD}Content-Length: 1000\r\n\r\n${BODY}`)],
  'sends chunks without an end': [REQUEST_MS, drip(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n')],
  'begins a second request and stops': [
    HEADERS_MS,
    (socket) => void socket.write(`${HEAD}Content-Length: ${BODY.length}\r\n\r\n${BODY}${HEAD}`),
  ],
}

// promise(http): Slow, silent and endless peers are disconnected.
it('whoever wastes a connection loses it, and others are answered meanwhile', async () => {
  const each = 20
  const wasted = Promise.all(
    Object.entries(WASTERS).flatMap(([what, [longest, speak]]) =>
      Array.from({ length: each }, async () => {
        const { lasted } = await rawExchange(network.app.url, speak, REQUEST_MS + 5_000)
        return { what, late: lasted > longest ? lasted : 0 }
      }),
    ),
  )
  let waiting = true
  void wasted.finally(() => (waiting = false))
  let answered = 0
  while (waiting) {
    expect((await network.ask('{ paymentCurrencies { code } }')).status).toBe(200)
    answered += 1
  }
  expect((await wasted).filter(({ late }) => late > 0)).toEqual([])
  expect(answered).toBeGreaterThan(100)
}, 40_000)
