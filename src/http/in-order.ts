import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Begins a request only when the one before it on its connection has been answered, and not at all when that answer was the
 * connection's last: whoever sends requests one behind the other would otherwise have them run side by side, and behind a
 * refusal too (RFC 9112, sections 9.3.2 and 9.6).
 */
export function answerInOrder(app: FastifyInstance): void {
  const last = new WeakMap<Socket, ServerResponse>()
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    const before = last.get(socket)
    last.set(socket, reply.raw)
    if (before === undefined || before.writableFinished) return done()
    return void before.once('close', () => socket.writable && done())
  })
}
