import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { trackConnections, limitUnfinishedBodies } from '../../../../src/http/connections/connections.ts'

const MIB = 1024 * 1024

let server: Server
let end = () => {}
let cut = 0
/** Bytes of bodies that the server has read. */
let received = 0
const peers: Socket[] = []

beforeEach(async () => {
  cut = 0
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  server = createServer((request, response) => {
    request.on('error', () => {})
    request.on('data', (part: Buffer) => (received += part.length)).once('end', () => response.end('read'))
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
  vi.useRealTimers()
  for (const peer of peers.splice(0)) peer.destroy()
  server.closeAllConnections()
  server.close()
})

/** Runs the check of all bodies twice. */
const check = () => vi.advanceTimersByTime(500)

/** Opens a connection, declares a body of 12 MiB, and sends `sent` bytes of it, until the server has read them. */
async function openPeer(address: string, sent: number): Promise<Socket> {
  const before = received
  const peer = connect((server.address() as AddressInfo).port, '127.0.0.1')
  peer.on('error', () => {})
  peers.push(peer)
  peer.write(`POST / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nContent-Length: ${12 * MIB}\r\n\r\n`)
  peer.write(Buffer.alloc(sent))
  await expect.poll(() => received - before).toBeGreaterThanOrEqual(sent)
  return peer
}

it('cuts the largest body of an address that sends too much, and none of the others', async () => {
  const slow = await openPeer('198.51.100.1', 10)
  const larger = await openPeer('203.0.113.9', 9 * MIB)
  check()
  expect(cut).toBe(0)
  await openPeer('203.0.113.9', 8 * MIB)
  check()
  // Not with `once`, which rejects if the connection is reset.
  if (!larger.destroyed) await new Promise((resolve) => larger.once('close', resolve))
  check()
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
  const before = received
  peer.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n123')
  await expect.poll(() => received).toBe(before + 3)
  check()
  expect(cut).toBe(0)
  peer.write('45')
  await once(peer, 'data')
})
