import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { trackConnections, limitUnfinishedBodies } from '../../../../src/http/connections/connections.ts'

const MIB = 1024 * 1024

let server: Server
let end = () => {}
let cut = 0
const peers: Socket[] = []

beforeEach(async () => {
  cut = 0
  server = createServer((request, response) => {
    request.on('error', () => {})
    request.resume().once('end', () => response.end('read'))
  })
  end = limitUnfinishedBodies(trackConnections(server), {
    addressOf: ({ headers }) => headers['x-forwarded-for']?.toString() ?? null,
    onCut: () => (cut += 1),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  end()
  for (const peer of peers.splice(0)) peer.destroy()
  server.closeAllConnections()
  server.close()
})

/** Opens a connection, declares a body of 12 MiB, and sends `sent` bytes of it. */
async function openPeer(address: string, sent: number): Promise<Socket> {
  const peer = connect((server.address() as AddressInfo).port, '127.0.0.1')
  peer.on('error', () => {})
  peers.push(peer)
  peer.write(`POST / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nContent-Length: ${12 * MIB}\r\n\r\n`)
  await new Promise((resolve) => peer.write(Buffer.alloc(sent), resolve))
  return peer
}

it('cuts the largest body of an address that sends too much, and none of the others', async () => {
  const slow = await openPeer('198.51.100.1', 10)
  const [larger] = await Promise.all([openPeer('203.0.113.9', 9 * MIB), openPeer('203.0.113.9', 8 * MIB)])
  // Not with `once`, which rejects if the connection is reset.
  if (!larger.destroyed) await new Promise((resolve) => larger.once('close', resolve))
  await new Promise((resolve) => setTimeout(resolve, 600))
  expect(cut).toBe(1)
  expect([slow, ...peers.slice(1)].filter(({ destroyed }) => destroyed)).toHaveLength(1)
  slow.write(Buffer.alloc(12 * MIB - 10))
  const [answer] = (await once(slow, 'data')) as [Buffer]
  expect(answer.toString()).toContain('200 OK')
})

it('does not count bodies that have been read', async () => {
  const peer = await openPeer('198.51.100.1', 12 * MIB)
  const [answer] = (await once(peer, 'data')) as [Buffer]
  expect(answer.toString()).toContain('200 OK')
  peer.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n123')
  await new Promise((resolve) => setTimeout(resolve, 600))
  expect(peer.destroyed).toBe(false)
  peer.write('45')
  await once(peer, 'data')
})
