import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  drainConnections,
  type ConnectionDrain,
  trackConnections,
} from '../../../../src/http/connections/connections.ts'

let server: Server
let drain: ConnectionDrain

beforeEach(async () => {
  server = createServer()
  drain = drainConnections(trackConnections(server))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/** Sends a request whose declared body has five bytes. Returns the connection, and the response to write, after the request has arrived. */
async function send(body: string, before = ''): Promise<[Socket, ServerResponse]> {
  const peer = connect((server.address() as AddressInfo).port, '127.0.0.1')
  peer.write(`${before}POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n${body}`)
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse]
  return [peer, response]
}

it('waits for the answer to a request that is complete, and not for the rest of one that is not', async () => {
  const [complete, response] = await send('12345')
  const [halfSent] = await send('123')
  drain.begin()
  await once(halfSent.resume(), 'close')
  expect(complete.destroyed).toBe(false)
  const answer = text(complete)
  response.end('done')
  expect(await answer).toContain('done')
})

it('answers a request whose body is completed soon', async () => {
  const [peer, response] = await send('123')
  drain.begin()
  peer.write('45')
  await once(response.req.resume(), 'end')
  const answer = text(peer)
  response.end('done')
  expect(await answer).toContain('done')
})

it('answers the request before one that is incomplete', async () => {
  const [peer, response] = await send('123', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const answer = text(peer)
  drain.begin()
  const [other] = await send('1')
  await once(other.resume(), 'close')
  response.end('done')
  expect(await answer).toContain('done')
})
