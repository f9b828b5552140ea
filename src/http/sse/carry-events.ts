import type { FastifyReply } from 'fastify'
import type { SocketLimits } from '../../config/socket-limits.ts'

/** What a peer that reads slowly, or not at all, may cost: what a socket may, by `SOCKET_LIMITS`. */
export type EventStreamLimits = Pick<SocketLimits, 'keepAliveMs' | 'bufferedMs' | 'perAddress' | 'perSubject'>

/** One response that is a stream of events. */
export type EventPeer = {
  /** Resolves with true when the text has left this process, with false when the peer has gone. */
  send(text: string): Promise<boolean>
  /** Ends the response, once everything is sent. */
  end(): void
  /** Cuts the connection. */
  cut(): void
  /** Resolves when the connection has closed, or the response has been taken whole. */
  readonly closed: Promise<void>
}

/** Emitted by the response when it has become a stream: from then on it is no request that waits for its answer. */
export const STREAM_BEGUN = 'streamBegun'

/** Milliseconds after which a browser's EventSource comes back. */
const RETRY_MS = 1_000

/**
 * Begins a stream of events (WHATWG HTML, section 9.2) as the answer to a request. Whoever does not take what is sent is
 * cut, and comes back after the last item that it has seen.
 */
export function carryEvents(
  reply: FastifyReply,
  limits: Pick<EventStreamLimits, 'keepAliveMs' | 'bufferedMs'>,
  onSlow: () => void,
): EventPeer {
  // Headers that hooks have set, such as those of cross-origin rules, are the framework's to write, and it stands aside now.
  const headers = Object.entries(reply.getHeaders())
  reply.hijack()
  const response = reply.raw
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  let waiting = 0

  const cut = () => void response.destroy()
  const send = (text: string): Promise<boolean> =>
    new Promise((sent) => {
      if (response.destroyed || response.writableEnded) return sent(false)
      waiting += 1
      const settle = (ok: boolean) => {
        clearTimeout(late)
        response.off('close', gone)
        waiting -= 1
        sent(ok)
      }
      const gone = () => settle(false)
      const late = setTimeout(() => {
        onSlow()
        cut()
      }, limits.bufferedMs)
      response.once('close', gone)
      response.write(text, (error) => {
        // A failed write is followed by the end of the connection.
        if (error === null || error === undefined) settle(true)
      })
    })

  const keepAlive = setInterval(() => {
    if (waiting === 0) void send(': keep-alive\n\n')
  }, limits.keepAliveMs)
  response.once('close', () => {
    clearInterval(keepAlive)
    resolve()
  })
  for (const [name, value] of headers) if (value !== undefined) response.setHeader(name, value)
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  response.emit(STREAM_BEGUN)
  // Some browsers do not believe in a stream before its first byte.
  void send(`retry: ${RETRY_MS}\n\n`)
  return { send, cut, end: () => void response.end(), closed }
}
