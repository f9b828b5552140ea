import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fastify, type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { carryEvents, type EventPeer } from '../../../src/http/sse/carry-events.ts'

const MEGABYTE = 1024 * 1024

let app: FastifyInstance
let socket: Socket
afterEach(async () => {
  socket.destroy()
  await app.close()
})

/** A stream of events and the socket of its peer, which reads nothing until it is told to. */
async function carried(bufferedMs: number) {
  const carrying = Promise.withResolvers<EventPeer>()
  let cuts = 0
  app = fastify()
  app.get('/', async (_request, reply) => {
    carrying.resolve(carryEvents(reply, { keepAliveMs: 60_000, bufferedMs }, () => (cuts += 1)))
    return reply
  })
  const { port } = new URL(await app.listen({ port: 0 }))
  socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  return { peer: await carrying.promise, cuts: () => cuts }
}

/** Sends one megabyte after another, each when the last has left, and gives how many have left. */
async function sendUntilItStops(peer: EventPeer): Promise<number> {
  for (let sent = 0; ; sent++) if (!(await peer.send('x'.repeat(MEGABYTE)))) return sent
}

describe('a peer that does not read', () => {
  it('is asked to take one thing at a time, and cut after the time it has', async () => {
    const { peer, cuts } = await carried(500)
    // What the two systems hold between them is theirs to decide; it is some megabytes.
    expect(await sendUntilItStops(peer)).toBeLessThan(32)
    await peer.closed
    expect(cuts()).toBe(1)
    expect(await peer.send('more')).toBe(false)
  })

  it('and reads on in time is not cut', async () => {
    const { peer, cuts } = await carried(30_000)
    let bytes = 0
    socket.on('data', (chunk) => (bytes += chunk.length))
    socket.pause()
    const sending = Promise.all(Array.from({ length: 8 }, () => peer.send('x'.repeat(MEGABYTE))))
    socket.resume()
    expect(new Set(await sending)).toEqual(new Set([true]))
    peer.end()
    await peer.closed
    await expect.poll(() => bytes).toBeGreaterThan(8 * MEGABYTE)
    expect(cuts()).toBe(0)
  })
})
