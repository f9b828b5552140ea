import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection that may wait for the answer before them. Browsers and routers send one at a time. */
const MAX_PIPELINED = 100

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Begins a request only when the one before it on its connection has been answered, and not at all when that answer was the
 * connection's last: whoever sends requests one behind the other would otherwise have them run side by side, and behind a
 * refusal too (RFC 9112, sections 9.3.2 and 9.6). A connection on which more than a hundred wait is destroyed.
 */
export function answerInOrder(begin: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, { last: ServerResponse; waiting: number }>()
  return (request, response) => {
    const { socket } = request
    const line = lines.get(socket)
    if (line === undefined) {
      lines.set(socket, { last: response, waiting: 0 })
      return begin(request, response)
    }
    const before = line.last
    line.last = response
    if (before.writableFinished) return begin(request, response)
    line.waiting += 1
    if (line.waiting > MAX_PIPELINED) return void socket.destroy()
    return void before.once('close', () => {
      line.waiting -= 1
      if (socket.writable) begin(request, response)
    })
  }
}
