import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { addressOf, deliver, deliveries, paymentBody } from '../support/webhooks.ts'
import { rawExchange } from './raw-http.ts'
import { rawWebhook } from './raw-webhook.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

const CHUNKED = ['Transfer-Encoding: chunked']
const uuid = randomUUID()
const body = paymentBody({ uuid })
const head = rawWebhook({ body, wire: '' })

/** Writes `first` at once, and then a piece every 250 ms until the connection closes. */
const drip = (first: string, piece: string) => (socket: Socket) => {
  socket.write(first)
  const timer = setInterval(() => socket.write(piece), 250)
  socket.on('close', () => clearInterval(timer))
}

/** What is sent too slowly. */
const WASTERS = [
  (socket: Socket) => void socket.write(head),
  (socket: Socket) => void socket.write(head + body.slice(0, -1)),
  drip(rawWebhook({ body, headers: ['Content-Length: 1000'], wire: '' }), ' '),
  drip(rawWebhook({ body, headers: CHUNKED, wire: '' }), '1\r\n \r\n'),
  drip(rawWebhook({ body, headers: CHUNKED, wire: '0\r\nX-Note: ' }), 'x'),
  drip(head.slice(0, -2), 'X-Note: x\r\n'),
]

it('whoever wastes its time is answered with 408, and others are served meanwhile', async () => {
  const link = await addressOf(network, await createLink(network))
  let wasted = 0
  const statuses = WASTERS.map(async (speak) => {
    const answer = await rawExchange(network.app.url, speak, 60_000)
    wasted += 1
    return answer.statuses
  })
  expect((await deliver(link, paymentBody())).status).toBe(200)
  expect(wasted).toBe(0)
  expect(await Promise.all(statuses)).toEqual(WASTERS.map(() => [408]))
  expect(await deliveries(network, [uuid])).toEqual([])
})
