import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { trackConnections } from '../../../../src/http/connections/connections.ts'
import { answerInOrder } from '../../../../src/http/connections/requests-in-order.ts'
import { readBody } from '../../../../src/lib/read-body.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const refuseUpgrade = () => expect.unreachable()

let server: Server
let peer: Socket
/** What the server was given. */
let given: WeakRef<IncomingMessage | ServerResponse>[]

beforeEach(async () => {
  given = []
  const { onRequest, onClientError } = answerInOrder((request, response) => {
    given.push(new WeakRef(request), new WeakRef(response))
    const announced = Number(request.headers['content-length'] ?? 0)
    void readBody(request, { bytes: 1_000, milliseconds: null }, announced).then(() => response.end('read'))
  }, refuseUpgrade)
  // Node closes an idle connection after five seconds, and then lets go of everything.
  server = createServer({ keepAliveTimeout: 60_000 }, onRequest).on('clientError', onClientError)
  trackConnections(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  peer = connect((server.address() as AddressInfo).port, '127.0.0.1')
})
afterEach(() => {
  peer.destroy()
  server.close()
})

it.each([
  ['that came at once', ['Content-Length: 5\r\n\r\nhello']],
  ['that came in parts', ['Content-Length: 5\r\n\r\nhel', 'lo']],
  ['without a body', ['\r\n']],
])('an answered request %s does not stay in memory with its connection', async (_what, parts) => {
  peer.write('POST / HTTP/1.1\r\nHost: x\r\n')
  for (const part of parts) {
    await new Promise((resolve) => peer.write(part, resolve))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await once(peer, 'data')
  expect(given).toHaveLength(2)
  const held = () => {
    collectGarbage()
    return given.filter((reference) => reference.deref() !== undefined)
  }
  await expect.poll(held).toEqual([])
  expect(peer.readableEnded).toBe(false)
})
