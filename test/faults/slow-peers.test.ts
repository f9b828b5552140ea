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
const QUERY = JSON.stringify({ query: '{ paymentCurrencies { code } }' })
const QUERY_HEAD = 'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'

/** Writes `first` at once, and then a piece every 250 ms until the connection closes. */
const drip = (first: string, piece: string) => (socket: Socket) => {
  socket.write(first)
  const timer = setInterval(() => socket.write(piece), 250)
  socket.on('close', () => clearInterval(timer))
}
const stop = (after: string) => (socket: Socket) => void socket.write(after)

/** What peers send too slowly, with the statuses of the answers. */
const WASTERS: readonly [statuses: readonly number[], speak: (socket: Socket) => void][] = [
  [[408], () => {}],
  [[408], drip('', '\r\n')],
  [[408], drip('GET /graphql?query=', 'a')],
  [[408], drip(QUERY_HEAD, 'X-Note: x\r\n')],
  [[408], drip(`${QUERY_HEAD}Content-Length: 1000\r\n\r\n`, ' ')],
  [[408], drip(`${QUERY_HEAD}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n')],
  [[200, 408], stop(`${QUERY_HEAD}Content-Length: ${QUERY.length}\r\n\r\n${QUERY}${QUERY_HEAD}`)],
  [[408], stop(head)],
  [[408], stop(head + body.slice(0, -1))],
  [[408], drip(rawWebhook({ body, headers: ['Content-Length: 1000'], wire: '' }), ' ')],
  [[408], drip(rawWebhook({ body, headers: CHUNKED, wire: '' }), '1\r\n \r\n')],
  [[408], drip(rawWebhook({ body, headers: CHUNKED, wire: '0\r\nX-Note: ' }), 'x')],
]

// promise(http): Slow, silent and endless peers are disconnected.
it('whoever wastes its time is answered with 408, and others are served meanwhile', async () => {
  const link = await addressOf(network, await createLink(network))
  let wasted = 0
  const statuses = WASTERS.map(async ([, speak]) => {
    const answer = await rawExchange(network.app.url, speak, 60_000)
    wasted += 1
    return answer.statuses
  })
  expect((await deliver(link, paymentBody())).status).toBe(200)
  expect((await network.ask('{ paymentCurrencies { code } }')).status).toBe(200)
  expect(wasted).toBe(0)
  expect(await Promise.all(statuses)).toEqual(WASTERS.map(([expected]) => expected))
  expect(await deliveries(network, [uuid])).toEqual([])
})
