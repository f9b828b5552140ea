import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Requests of one connection that may wait for the answer before them. Browsers and routers send one at a time. */
const MAX_PIPELINED = 100

/**
 * Begins a request only when the one before it on its connection has been answered, and not at all when that answer was the
 * connection's last: whoever sends requests one behind the other would otherwise have them run side by side, and behind a
 * refusal too (RFC 9112, sections 9.3.2 and 9.6). A connection on which more than a hundred wait is destroyed.
 */
export function answerInOrder(app: FastifyInstance): void {
  const last = new WeakMap<Socket, ServerResponse>()
  const waiting = new WeakMap<Socket, number>()
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    const before = last.get(socket)
    last.set(socket, reply.raw)
    if (before === undefined || before.writableFinished) return done()
    const count = (waiting.get(socket) ?? 0) + 1
    if (count > MAX_PIPELINED) return void socket.destroy()
    waiting.set(socket, count)
    return void before.once('close', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1)
      if (socket.writable) done()
    })
  })
}
