import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { answerInOrder } from '../../../../src/http/connections/requests-in-order.ts'

/** More than the buffers of both ends. */
const LARGE = 16 * 1024 * 1024
const PART = 'x'.repeat(64 * 1024)

let server: Server
beforeEach(async () => {
  const { onRequest, onUpgrade } = answerInOrder(
    (request, response) => {
      if (request.url === '/small') setTimeout(() => response.end('small'), 20)
      else Readable.from(Array.from({ length: LARGE / PART.length }, () => PART)).pipe(response)
    },
    (_request, socket) => void socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  )
  server = createServer({ shouldUpgradeCallback: () => true }, onRequest).on('upgrade', onUpgrade)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

it.each([
  ['one request', ['/small'], 1],
  ['requests that wait for each other', ['/small', '/small', '/small'], 1],
  ['an answer that is read slowly', ['/small', '/large'], LARGE],
])('an upgrade waits for the answers before it: behind %s', async (_what, paths, least) => {
  const peer = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const lines = [...paths, '/ HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket'].map((path) =>
    path.includes(' ') ? `GET ${path}` : `GET ${path} HTTP/1.1`,
  )
  peer.write(lines.map((line) => `${line}\r\nHost: x\r\n\r\n`).join(''))
  const received = await text(peer)
  const statuses = Array.from(received.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => status)
  expect(statuses).toEqual([...paths.map(() => '200'), '101'])
  expect(received.length).toBeGreaterThan(least)
  expect(received).toMatch(/\r\n\r\n$/)
})
